import { systemTimers } from '@workspace/service-process';
import { notPublished } from './in-memory-log.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';

const NONE = { records: 0, bytes: 0 };

describe('GET /health', () => {
  it('is up while the log is connected', async () => {
    const { app } = appUnderTest();
    const answer = await app.inject('/health');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({
      status: 'up',
      app: 'operations-service',
      version: '1.2.3',
      kafka: {
        status: 'connected',
        'bootstrap-servers': 'localhost:9092',
        topic: 'operations',
        latencyMs: 1.5,
      },
      checks: {
        'kafka:connection': [
          {
            componentType: 'datastore',
            status: 'pass',
            time: NOW.toISOString(),
            observedValue: 1.5,
            observedUnit: 'ms',
          },
        ],
      },
    });
  });

  it('names brokers and errors only to those who authenticate, where clients have to', async () => {
    const { app, log } = appUnderTest({ AUTH_TOKENS: 'alice:0123456789abcdef', HOST: '0.0.0.0' });
    const shown = async (headers: Record<string, string> = {}) =>
      (await app.inject({ url: '/health', headers })).json();
    const known = await shown({ authorization: 'Bearer 0123456789abcdef' });
    expect(known.kafka).toMatchObject({ 'bootstrap-servers': expect.any(String), topic: expect.any(String) });
    for (const headers of [{}, { authorization: 'Bearer wrong-wrong-wrong' }, { authorization: 'Basic x' }]) {
      expect(await shown(headers as Record<string, string>)).toMatchObject({
        status: 'up',
        kafka: { status: 'connected' },
      });
      expect((await shown(headers as Record<string, string>)).kafka).toEqual({ status: 'connected' });
    }
    log.status = () => ({ connected: false, error: 'connect ECONNREFUSED 10.0.0.5:9092', queued: NONE });
    const down = await app.inject('/health');
    expect([down.statusCode, down.json().kafka]).toEqual([503, { status: 'disconnected' }]);
    expect(down.body).not.toMatch(/output|9092/);
    expect((await app.inject('/asyncapi.json')).json().servers).toEqual({});
  });

  it('is down with the reason while it is not', async () => {
    const { app, log } = appUnderTest();
    log.status = () => ({ connected: false, checkedAt: NOW, error: 'connect ECONNREFUSED', queued: NONE });
    const answer = await app.inject('/health');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      status: 'down',
      kafka: { status: 'disconnected', error: 'connect ECONNREFUSED' },
      checks: { 'kafka:connection': [{ status: 'fail', output: 'connect ECONNREFUSED' }] },
    });
  });

  it('warns, and names the part, when keys cannot be claimed or promises cannot be kept', async () => {
    const { app, log, store } = appUnderTest();
    log.status = () => ({
      connected: true,
      warning: 'one replica',
      underReplication: { partitions: 2, reason: '2 of 3 in sync', isStopped: false },
      clock: { aheadMs: 4000, warning: 'the clock is 4 s ahead' },
      weaknesses: [
        { setting: 'cleanup.policy', reason: 'cleanup.policy=compact' },
        { setting: 'retention.ms', reason: 'retention.ms=1' },
      ],
      queued: NONE,
    });
    store.status = () => ({
      error: 'READONLY',
      warning: '3 answers wait',
      unsettled: 3,
      evictions: 0,
      use: { unit: 'bytes', used: 90, capacity: 100 },
    });
    const answer = await app.inject('/health');
    expect([answer.statusCode, answer.json().status]).toEqual([200, 'warn']);
    expect(answer.json().checks).toMatchObject({
      'kafka:connection': [{ status: 'pass' }],
      'kafka:replication': [{ status: 'warn', output: 'one replica' }],
      'kafka:settings': [
        { status: 'warn', output: 'cleanup.policy=compact' },
        { status: 'warn', output: 'retention.ms=1' },
      ],
      'kafka:clock': [
        { status: 'warn', output: 'the clock is 4 s ahead', observedValue: 4000, observedUnit: 'ms' },
      ],
      'kafka:in-sync-replicas': [
        {
          status: 'warn',
          output: '2 of 3 in sync',
          observedValue: 2,
          observedUnit: 'under-replicated partitions',
        },
      ],
      'idempotency-store:connection': [{ status: 'warn', output: 'READONLY' }],
      'idempotency-store:capacity': [
        { status: 'warn', output: '3 answers wait', observedValue: 90, observedUnit: 'bytes' },
      ],
    });
  });

  it('is down when keys cannot be claimed and are required: no submission would be accepted', async () => {
    const { app, store } = appUnderTest({ IDEMPOTENCY_KEY_REQUIRED: 'true' });
    store.status = () => ({ error: 'READONLY', unsettled: 0, evictions: 0 });
    const answer = await app.inject('/health');
    expect([answer.statusCode, answer.json()]).toMatchObject([
      503,
      {
        status: 'down',
        checks: { 'idempotency-store:connection': [{ status: 'fail', output: 'READONLY' }] },
      },
    ]);
  });

  it('warns and is not down while a leader moves, a quota limits or the topic cannot be read, since records are taken', async () => {
    const { app, log } = appUnderTest();
    log.status = () => ({
      connected: true,
      error: 'partition 0 has no leader',
      throttledMs: 700,
      unreadable: 'TOPIC_AUTHORIZATION_FAILED',
      queued: NONE,
    });
    const answer = await app.inject('/health');
    expect([answer.statusCode, answer.json().status]).toEqual([200, 'warn']);
    expect(answer.json().checks).toMatchObject({
      'kafka:connection': [{ status: 'warn', output: 'partition 0 has no leader' }],
      'kafka:quota': [{ status: 'warn', observedValue: 700, output: expect.stringContaining('for 700 ms') }],
      'kafka:search': [
        { status: 'warn', output: expect.stringContaining('cannot be read: TOPIC_AUTHORIZATION_FAILED') },
      ],
    });
  });

  it('is down while every submission fails, whatever the probe of Kafka says, until one is accepted', async () => {
    let now = 0;
    const { app, log } = appUnderTest({}, { timers: { ...systemTimers, now: () => now } });
    log.mode = notPublished('log-unavailable');
    for (now of [0, 6_000]) expect((await post(app, ONE_BUY)).statusCode).toBe(503);
    const down = await app.inject('/health');
    expect([down.statusCode, down.json()]).toMatchObject([
      503,
      {
        status: 'down',
        kafka: { status: 'connected' },
        checks: { 'service:submissions': [{ status: 'fail', observedValue: 6, observedUnit: 's' }] },
      },
    ]);
    expect((await app.inject('/health/ready')).statusCode).toBe(200);
    log.mode = 'take';
    await post(app, ONE_BUY);
    expect((await app.inject('/health')).statusCode).toBe(200);
  });

  it.each([
    ['too large for Kafka', 'record-too-large', 413],
    ['a full queue', 'queue-full', 503],
    ['a stopping process', 'closed', 503],
  ] as const)('does not count %s', async (_, reason, status) => {
    let now = 0;
    const { app, log } = appUnderTest({}, { timers: { ...systemTimers, now: () => now } });
    log.mode = notPublished(reason);
    for (now of [0, 6_000]) expect((await post(app, ONE_BUY)).statusCode).toBe(status);
    expect((await app.inject('/health')).statusCode).toBe(200);
  });

  it('says that settings are not known where they may not be read, and stays up', async () => {
    const { app, log } = appUnderTest();
    log.status = () => ({ connected: true, settingsKnown: false, queued: NONE });
    const { status, checks } = (await app.inject('/health')).json();
    expect(status).toBe('up');
    expect(checks['kafka:settings']).toMatchObject([
      { status: 'pass', output: expect.stringContaining('DESCRIBE_CONFIGS') },
    ]);
  });

  it('is ready without Kafka, as it can answer: 503 with the outcome and when to retry', async () => {
    const { app, drain, log } = appUnderTest();
    log.status = () => ({ connected: false, queued: NONE });
    log.mode = notPublished('log-unavailable');
    const ready = await app.inject('/health/ready');
    expect([ready.statusCode, ready.json(), ready.headers['cache-control']]).toEqual([
      200,
      { ready: true },
      'no-store',
    ]);
    expect((await app.inject('/health')).statusCode).toBe(503);
    const answer = await post(app, ONE_BUY);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.json()).toMatchObject({ outcome: 'not-published' });
    drain.start();
    const draining = await app.inject('/health/ready');
    expect([draining.statusCode, draining.json()]).toEqual([503, { ready: false, reason: 'draining' }]);
  });

  it('is down while draining; live stays up', async () => {
    const { app, drain, log } = appUnderTest();
    drain.start();
    log.status = () => ({ connected: false, queued: NONE });
    expect((await app.inject('/health')).statusCode).toBe(503);
    const live = await app.inject('/health/live');
    expect([live.statusCode, live.json()]).toEqual([200, { status: 'up' }]);
  });
});
