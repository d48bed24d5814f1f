import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaAvailable, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { missingTools } from '@workspace/service-kit/testing';
import { ComposeStandIn, pageTools } from './support/compose-stand-in.ts';
import { type Neighbourhood, startNeighbourhood } from './support/neighbourhood.ts';
import { blocksOf, run } from './support/pages.ts';
import { ask } from './support/request.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';
import { eventually } from './support/wait.ts';

const kafka = kafkaAvailable();
const missing = [...missingTools(...pageTools, 'mkfs.ext4', 'mount'), ...(kafka.ok ? [] : [kafka.missing])];
if (missing.length > 0 && process.env['CI']) throw new Error(`missing: ${missing.join(', ')}`);
// Mounting takes root; a tool can be installed, that cannot.
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) console.warn(`no disk is filled here: ${missing.join(', ')} missing`);

const MEGABYTE = 1_000_000;
const PAGE = 'disk-full.md';
/** Small segments, looked at often: what takes days and gigabytes on a real disk is over in seconds. */
const QUICK = {
  'log.segment.bytes': String(1024 * 1024),
  'log.initial.task.delay.ms': '500',
  'log.retention.check.interval.ms': '500',
  'log.segment.delete.delay.ms': '500',
};

(missing.length > 0 ? describe.skip : describe)('the disk of the broker is full', () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-full-'));
  let disk: SmallDisk;
  let around: Neighbourhood;
  let broker: StandaloneBroker;
  let compose: ComposeStandIn;
  let env: NodeJS.ProcessEnv;
  const accepted = new Set<string>();

  beforeAll(async () => {
    const data = join(folder, 'data-1');
    mkdirSync(data);
    disk = mountSmallDisk(data, 96 * MEGABYTE);
    around = await startNeighbourhood();
    broker = await startBroker({ dataFolder: folder, overrides: QUICK });
    compose = new ComposeStandIn(around, broker);
    env = { ...process.env, ...(await compose.open()) };
    await compose.run({
      words: ['compose', '-f', 'docker/compose.yaml', 'up', '-d', 'ops-intake'],
      env: env as Record<string, string>,
    });
  });
  afterAll(async () => {
    await compose?.close();
    await broker?.stop();
    await around?.close();
    disk?.remove();
    rmSync(folder, { recursive: true });
  });

  const page = (from: number, to?: number) =>
    run(blocksOf(PAGE).slice(from, to), { port: around.proxy.port, env });

  const body = `[${Array.from({ length: 2_000 }, () => '{"operation":"buy","unit-cost":10.00,"quantity":100}').join()}]`;
  const submit = async () => {
    const answer = await ask({
      port: around.proxy.port,
      host: 'ops-intake.localhost',
      path: '/operations',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const said = JSON.parse(answer.body) as { submissionId: string; outcome?: string };
    if (answer.status === 202) accepted.add(said.submissionId);
    return { status: answer.status, outcome: said.outcome };
  };

  it('ends the broker, and no client is told what is not so', async () => {
    await eventually('202', async () => ((await submit()).status === 202 ? true : undefined));
    disk.fill(10 * MEGABYTE);
    const problem = await eventually('problem', async () => {
      const answer = await submit();
      return answer.status === 202 ? undefined : answer;
    });
    // Kafka says an I/O error, after which it may or may not have been written.
    expect(problem).toEqual({ status: 503, outcome: 'unknown' });
    await eventually('end of the broker', () => (broker.pid === undefined ? true : undefined));
    expect(await submit()).toEqual({ status: 503, outcome: 'not-published' });
    expect(accepted.size).toBeGreaterThan(10);
  });

  it('is told by the page’s first commands, while there is no broker', async () => {
    const printed = await page(0, 1);
    expect(printed).toMatch(/No space left on device/);
    expect(printed).toMatch(/Shutdown broker because all log dirs in .* have failed/);
    expect(printed).toMatch(/ (9\d|100)% /);
  });

  it('lets no broker start, which says something else then', async () => {
    disk.fill();
    await expect(broker.restart()).rejects.toThrow('Kafka ended instead of answering');
    expect(await page(0, 1)).toMatch(/InternalError: a fault occurred in .*unsafe memory access operation/);
  });

  it('is healed by room on the disk, with everything that was acknowledged', async () => {
    disk.relieve();
    const printed = await page(1, 2);
    expect(printed).toContain('"up"');
    const found = (await broker.consume('operations')).map(({ key }) => key);
    // Others may be there: those whose outcome was told to be unknown.
    expect(found.filter((key) => accepted.has(String(key))).sort()).toEqual([...accepted].sort());
    expect((await eventually('202', submit)).status).toBe(202);
  });

  it('gets room from less history, as the page says', async () => {
    const [shorten, back] = blocksOf(PAGE).slice(2) as [string, string];
    const before = disk.freeBytes();
    // The records here are seconds old and not days.
    expect(shorten).toContain('retention.ms=259200000');
    const following = { port: around.proxy.port, env };
    await run([shorten.replace('retention.ms=259200000', 'retention.ms=1000')], following);
    await eventually('room', () => (disk.freeBytes() > before + 5 * MEGABYTE ? true : undefined));
    expect(await run([back], following)).toContain('Completed updating config for topic operations');
  });
});
