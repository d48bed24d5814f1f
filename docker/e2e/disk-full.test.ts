import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@workspace/testing';
import { blocksOf } from './support/runbooks.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';
import { Stack } from './support/stack.ts';

const MEGABYTE = 1_000_000;

describe('the disk of the broker is full', () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-full-'));
  const accepted = new Set<string>();
  let disk: SmallDisk;
  let stack: Stack;

  beforeAll(async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    disk = mountSmallDisk(data, 96 * MEGABYTE);
    chmodSync(data, 0o777);
    stack = await Stack.create({ COMPOSE_FILE: 'compose.yaml:small-disk.yaml' });
    // Small segments, checked often: what takes days and gigabytes on a real disk is over in seconds.
    writeFileSync(
      join(stack.folder, 'small-disk.yaml'),
      JSON.stringify({
        services: {
          kafka: {
            environment: {
              KAFKA_LOG_SEGMENT_BYTES: '1048576',
              KAFKA_LOG_INITIAL_TASK_DELAY_MS: '500',
              KAFKA_LOG_RETENTION_CHECK_INTERVAL_MS: '500',
              KAFKA_LOG_SEGMENT_DELETE_DELAY_MS: '500',
            },
          },
        },
        volumes: { kafka: { driver_opts: { type: 'none', o: 'bind', device: data } } },
      }),
    );
    await stack.up('proxy', 'ops-intake', 'kafka');
    await stack.writable();
  });
  afterAll(async () => {
    await stack.remove();
    disk.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const runbook = (from: number, to?: number) => stack.shell(blocksOf('disk-full.md').slice(from, to));
  const body = `[${Array.from({ length: 2_000 }, () => '{"operation":"buy","unit-cost":10.00,"quantity":100}').join()}]`;
  const submit = async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await stack.ask('ops-intake', '/operations', { method: 'POST', headers, body });
    const { submissionId, outcome } = JSON.parse(answer.body) as { submissionId: string; outcome?: string };
    if (answer.status === 202) accepted.add(submissionId);
    return { status: answer.status, outcome };
  };

  it('answers unknown first and not-published when the broker has stopped', async () => {
    await eventually('202', async () => ((await submit()).status === 202 ? true : undefined));
    disk.fill(10 * MEGABYTE);
    const first = await eventually('rejection', async () => {
      const answer = await submit();
      return answer.status === 202 ? undefined : answer;
    });
    // Kafka reports an I/O error, after which the record may or may not be written.
    expect(first).toEqual({ status: 503, outcome: 'unknown' });
    await eventually('not-published', async () =>
      (await submit()).outcome === 'not-published' ? true : undefined,
    );
    expect(accepted.size).toBeGreaterThan(10);
  });

  it('is shown by the first commands of the runbook, without a broker', async () => {
    const printed = await runbook(0, 1);
    // Counted, because each restart writes some more lines, which need not be the same.
    expect(printed).toMatch(/^ *\d+ No space left on device$/m);
    expect(printed).toMatch(/ (9\d|100)% /);
  });

  it('is fixed by space, with everything that was acknowledged', async () => {
    disk.relieve();
    expect(await runbook(1, 2)).toContain('"up"');
    const keys = await stack.keys();
    expect([...accepted].filter((key) => !keys.includes(key))).toEqual([]);
    await eventually('202', async () => ((await submit()).status === 202 ? true : undefined));
  });

  it('gets space from less history, as the runbook says', async () => {
    const [shorten, restore] = blocksOf('disk-full.md').slice(2) as [string, string];
    const before = disk.freeBytes();
    // The records here are seconds old and not days.
    expect(shorten).toContain('retention.ms=259200000');
    await stack.shell([shorten.replace('retention.ms=259200000', 'retention.ms=1000')]);
    await eventually('space', () => (disk.freeBytes() > before + 5 * MEGABYTE ? true : undefined));
    expect(await stack.shell([restore])).toContain('Completed updating config for topic operations');
  });
});
