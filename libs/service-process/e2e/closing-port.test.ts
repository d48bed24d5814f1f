import { eventually } from '@workspace/testing';
import { addresses, start, talk } from '../test/demo-process.ts';

describe('run, under load', () => {
  it('answers what clients ask on ever new connections until its port closes', async () => {
    // On a busy machine, a request may be late on its connection; this only ends a test that hangs.
    const service = start({ DRAIN_IDLE_MS: '60000' });
    const { main } = await addresses(service);
    const answers: string[] = [];
    const askUntilRefused = async (): Promise<void> => {
      for (;;) {
        const { received } = await talk(
          main,
          'GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
        );
        answers.push((await received).slice(0, 12));
      }
    };
    const refusals = Array.from({ length: 64 }, () =>
      expect(askUntilRefused()).rejects.toThrow('ECONNREFUSED'),
    );
    await eventually('load', () => answers.length > 500);
    expect(await service.stop()).toBe(0);
    await Promise.all(refusals);
    expect(answers.filter((answer) => answer !== 'HTTP/1.1 404')).toEqual([]);
  });
});
