import { type Cluster, describeWithKafka, startCluster, withAdmin } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { type RunningService, startService } from './support/service.ts';

const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

const post = async (service: RunningService) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}/operations`, { method: 'POST', headers, body: ONE_BUY });
  return { status: answer.status, body: (await answer.json()) as { outcome?: string; offset?: number } };
};

const health = async (service: RunningService) =>
  (await (await fetch(`${service.url}/health`)).json()) as { status: string; kafka: { error?: string } };

const untilHealth = (service: RunningService, status: string): Promise<boolean> =>
  eventually(`health ${status}`, async () => (await health(service)).status === status);

describeWithKafka('brokers that answer, but do not take records', () => {
  let cluster: Cluster;
  let service: RunningService | undefined;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());
  afterEach(async () => {
    service?.signal('SIGKILL');
    await service?.exited;
  });

  it('because replicas are missing: certainly not published, /health says why, and recovers by itself', async () => {
    const { bootstrapServers, brokers } = cluster;
    await brokers[0]?.createTopic('too-few', { settings: { 'min.insync.replicas': '3' } });
    const leader = await withAdmin(bootstrapServers, async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: ['too-few'] });
      return topics[0]?.partitions[0]?.leader;
    });
    service = await startService({ KAFKA_BOOTSTRAP_SERVERS: bootstrapServers, KAFKA_TOPIC: 'too-few' });
    const running = service;
    await untilHealth(running, 'up');
    expect((await post(running)).status).toBe(202);

    const follower = brokers.find((_, index) => index + 1 !== leader);
    await follower?.kill();
    // Until the leader misses the follower, a record is appended and never replicated: that is `unknown`, and what waits
    // behind it is not published because its time is over.
    let rejected = await post(running);
    await eventually('reason in /health', async () => {
      rejected = await post(running);
      const { kafka } = (await health(running)) as { kafka: { error?: string } };
      return rejected.body.outcome !== 'unknown' && kafka.error === 'NOT_ENOUGH_REPLICAS';
    });

    // Tried three times, rejected three times before the append: that is known from the wire, so it is not `unknown`.
    expect(rejected).toMatchObject({ status: 503, body: { outcome: 'not-published' } });
    expect(await health(running)).toMatchObject({ status: 'down', kafka: { error: 'NOT_ENOUGH_REPLICAS' } });
    expect(JSON.stringify(running.lines)).toContain('NOT_ENOUGH_REPLICAS');

    // Behind a load balancer that asks /health, it gets no requests now.
    await follower?.restart();
    await untilHealth(running, 'up');
    expect((await post(running)).status).toBe(202);
  });
});
