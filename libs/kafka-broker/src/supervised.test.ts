import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSupervisor } from './supervised.ts';

describe('startSupervisor', () => {
  it('rejects a program that does not exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'supervised-'));
    const supervisor = startSupervisor(folder);
    await expect(supervisor.run(['/no/such/program'], join(folder, 'log'))).rejects.toThrow('ENOENT');
    await supervisor.close();
  });
});
