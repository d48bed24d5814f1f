import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, workspaceRoot } from '@workspace/testing';
import { BUNDLED_DATABASE } from './support/bundled-database.ts';
import { run } from './support/process.ts';
import { readLoad } from './support/read-load.ts';
import { blocksOf, RUNBOOKS } from './support/runbooks.ts';
import { Stack, SUBMISSION } from './support/stack.ts';

/** What a service is rolled back to. */
const OLD_IMAGE = 'localhost/ip-locate:0.0.1';

describe('the runbooks, on the single stack', () => {
  let stack: Stack;
  const folder = mkdtempSync(join(tmpdir(), 'runbooks-'));
  beforeAll(async () => {
    stack = await Stack.create();
    await stack.up();
    await stack.writable();
  });
  afterAll(async () => {
    await stack.remove();
    await run({ command: 'docker', args: ['image', 'rm', '--force', OLD_IMAGE] });
    rmSync(folder, { recursive: true, force: true });
  });
  const follow = (runbook: string, env: Record<string, string> = {}) => stack.shell(blocksOf(runbook), env);

  it('are all followed by a test', () => {
    const tests = readdirSync('e2e')
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(join('e2e', name), 'utf8'))
      .join('\n');
    const withCommands = RUNBOOKS.filter((name) => blocksOf(name).length > 0);
    expect(withCommands.length).toBeGreaterThan(7);
    for (const name of withCommands) expect(tests).toMatch(new RegExp(`(follow|blocksOf)\\('${name}'`));
  });

  it('show the state of the services', async () => {
    const printed = await follow('README.md');
    expect(printed).toMatch(/"status": "up"/);
    expect(printed).toMatch(/^operations_kafka_up 1$/m);
  });

  it('have alerts on metrics that the services print', async () => {
    const alerts = readFileSync('helm/three-services/files/alerts.yaml', 'utf8');
    const asked = new Set(
      [...alerts.matchAll(/\b(?:http|operations|ip_locate|release_web)_[a-z_]+/g)].map(String),
    );
    expect(asked.size).toBeGreaterThan(5);
    // Only with REJECTED_TOPIC and AUTH_TOKENS_FILE; the tests of ops-intake and nx incidents read them.
    asked.delete('operations_rejected_records_total');
    asked.delete('operations_tokens_rejected');
    const metrics = await Promise.all(
      ['release-web', 'ops-intake', 'ip-locate'].map((service) =>
        stack.compose('exec', '-T', service, 'node', 'healthcheck.js', '/metrics'),
      ),
    );
    // The store in memory counts answers, the shared one bytes.
    const printed = metrics
      .join('')
      .replaceAll(/(operations_idempotency_store_(?:used|capacity))_answers/g, '$1_bytes');
    for (const name of asked) expect(printed).toMatch(new RegExp(`^${name}[{ ]`, 'm'));
  });

  it('bring a broker back', async () => {
    await stack.compose('stop', 'kafka');
    await eventually('503', async () =>
      (await stack.ask('ops-intake', '/health')).status === 503 ? true : undefined,
    );
    const printed = await follow('broker-unavailable.md');
    expect(printed).toMatch(/"down"[\s\S]*"up"/);
    expect(printed).toMatch(/Topic: operations.*PartitionCount/);
  });

  it('correct a setting of the topic', async () => {
    const settings = [
      ...['exec', '-T', 'kafka', '/opt/kafka/bin/kafka-configs.sh', '--bootstrap-server', 'localhost:19092'],
      ...['--alter', '--entity-type', 'topics', '--entity-name', 'operations'],
    ];
    await stack.compose(...settings, '--add-config', 'message.timestamp.before.max.ms=40000');
    const warned = async () => (await stack.ask('ops-intake', '/health')).body.includes('kafka:settings');
    await eventually('warning', warned);
    expect(await follow('kafka-settings.md')).toMatch(/^warn message\.timestamp\.before\.max\.ms=40000/m);
    await eventually('correction', async () => !(await warned()));
  });

  it('replace the data of ip-locate', async () => {
    const databases = join(folder, 'databases');
    mkdirSync(databases);
    cpSync(BUNDLED_DATABASE, join(databases, 'city.mmdb'));
    await follow('data-stale.md', { DATABASES: databases, NEW_FILE: BUNDLED_DATABASE });
    expect(readdirSync(databases)).toEqual(['city.mmdb']);
    expect((await stack.ask('ip-locate', '/8.8.8.8/country/')).body).toBe('US');
  });

  it('withdraw a release', async () => {
    const data = join(folder, 'release-data');
    cpSync(join(workspaceRoot, 'apps/release-web/data'), data, { recursive: true });
    const branches = (await stack.ask('release-web', '/releases/branches.php')).body;
    const { latest } = (JSON.parse(branches) as [{ latest: string }])[0];
    await follow('feed-wrong.md', { RELEASE_DATA: data, VERSION: latest });
    expect((await stack.ask('release-web', '/releases/branches.php')).body).not.toContain(`"${latest}"`);
  });

  it('limit clients', async () => {
    await stack.shell(blocksOf('overload.md').slice(0, 3));
    expect((await stack.ask('ops-intake', '/health')).status).toBe(200);
  });

  it('restore what was backed up, on a machine without it', async () => {
    const backup = join(folder, 'backup');
    mkdirSync(backup);
    const submit = async (): Promise<void> => {
      const { status } = await stack.ask('ops-intake', '/operations', SUBMISSION);
      expect(status).toBe(202);
    };
    for (let count = 0; count < 3; count += 1) await submit();
    const [save, restore] = [blocksOf('backup.md').slice(0, 3), blocksOf('backup.md').slice(3)];
    expect(await stack.shell(save, { BACKUP: backup })).toMatch(/kafka\.tar\.gz/);
    const kept = (await stack.keys()).sort();
    expect(kept.length).toBeGreaterThanOrEqual(3);
    await submit();
    await stack.compose('down', '--volumes');
    const printed = await stack.shell(restore, { BACKUP: backup });
    expect(printed).toContain('"up"');
    const ends = [...printed.matchAll(/^operations:\d+:(\d+)$/gm)].map(([, end]) => Number(end));
    expect(ends.reduce((sum, end) => sum + end, 0)).toBe(kept.length);
    expect((await stack.keys()).sort()).toEqual(kept);
    await submit();
  });

  it('roll one service back, and no read fails', async () => {
    await run({ command: 'docker', args: ['tag', 'localhost/ip-locate:dev', OLD_IMAGE] });
    const [ask, replace, replaceAtOnce] = blocksOf('rolling-back.md');
    const reads = readLoad(stack);
    const printed = await stack.shell([ask!, replace!], { VERSION: '0.0.1' });
    // overload.md has limited clients.
    const { 429: _limited, ...others } = await reads.stop();
    expect(others).toEqual({ 200: expect.any(Number) });
    expect(printed.match(/"version":/g)).toHaveLength(3);
    await stack.shell([replaceAtOnce!]);
    const images = await stack.compose('images', '--format', 'json');
    expect(images).toMatch(/ip-locate[^}]*"Tag": ?"0\.0\.1"/);
    expect(images).toMatch(/release-web[^}]*"Tag": ?"dev"/);
  });
});
