import { type Cluster, describeWithKafka, startCluster, withAdmin } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { healthOf, submit } from './support/client.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const untilHealth = (service: RunningService, status: string): Promise<boolean> =>
  eventually(`health ${status}`, async () => (await healthOf(service)).status === status);

describeWithKafka('brokers that answer, but do not take records', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());
  afterEach(killServices);

  it('because replicas are missing: certainly not published, /health says why, and recovers by itself', async () => {
    const { bootstrapServers, brokers } = cluster;
    await brokers[0]?.createTopic('too-few', { settings: { 'min.insync.replicas': '3' } });
    const leader = await withAdmin(bootstrapServers, async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: ['too-few'] });
      return topics[0]?.partitions[0]?.leader;
    });
    const running = await startService({ KAFKA_BOOTSTRAP_SERVERS: bootstrapServers, KAFKA_TOPIC: 'too-few' });
    await untilHealth(running, 'up');
    expect((await submit(running)).status).toBe(202);

    const follower = brokers.find((_, index) => index + 1 !== leader);
    await follower?.kill();
    // Until the leader misses the follower, a record is appended and never replicated: that is `unknown`, and what waits
    // behind it is not published because its time is over.
    let rejected = await submit(running);
    await eventually('reason in /health', async () => {
      rejected = await submit(running);
      const { kafka } = await healthOf(running);
      return rejected.body.outcome !== 'unknown' && kafka.error === 'NOT_ENOUGH_REPLICAS';
    });

    // Tried three times, rejected three times before the append: that is known from the wire, so it is not `unknown`.
    expect(rejected).toMatchObject({ status: 503, body: { outcome: 'not-published' } });
    expect(await healthOf(running)).toMatchObject({
      status: 'down',
      kafka: { error: 'NOT_ENOUGH_REPLICAS' },
    });
    expect(JSON.stringify(running.lines)).toContain('NOT_ENOUGH_REPLICAS');

    // Behind a load balancer that asks /health, it gets no requests now.
    await follower?.restart();
    await untilHealth(running, 'up');
    expect((await submit(running)).status).toBe(202);
  });
});
