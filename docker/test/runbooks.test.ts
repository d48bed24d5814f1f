import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../e2e/support/runbooks.ts';

/** The lines of a runbook that write `.env`. */
const linesAboutEnv = (runbook: string): string =>
  blocksOf(runbook)
    .flatMap((block) => block.split('\n'))
    .filter((line) => /\.env\b|^ *id=/.test(line))
    .join('\n');

describe('the runbooks from one broker to three and back', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'runbooks-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const follow = (runbook: string) =>
    execFileSync('sh', ['-euc', linesAboutEnv(runbook)], { cwd: folder, stdio: 'pipe' });
  const ids = () =>
    readFileSync(join(folder, '.env'), 'utf8').match(/(?<=KAFKA_CLUSTER_ID_OF_THREE=).*/g) ?? [];

  it('keep the id of the cluster, also when they are followed twice: brokers do not start with another one', () => {
    for (const runbook of ['growing.md', 'growing.md', 'shrinking.md', 'shrinking.md']) follow(runbook);
    expect(readFileSync(join(folder, '.env'), 'utf8')).not.toMatch(/^[A-Z]/m);
    follow('growing.md');
    expect(ids()).toHaveLength(3);
    expect(new Set(ids()).size).toBe(1);
    expect(ids()[0]).toMatch(/^[\w=]{22}$/);
  });
});
