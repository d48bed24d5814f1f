import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { startServiceProcess } from '@workspace/service-kit/testing';
import { artefact, killServices, startService } from './support/service.ts';

const submit = async (url: string): Promise<number> => {
  const body = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/operations`, { method: 'POST', headers, body })).status;
};
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

afterEach(killServices);

describeWithKafka('a new instance with Kafka', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
    await broker.createTopic('operations', { partitions: 3 });
  });
  afterAll(() => broker.stop());

  it('accepts submissions from its first answer on', async () => {
    for (let start = 0; start < 3; start++) {
      const service = await startService({
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      });
      expect(await submit(service.url)).toBe(202);
      expect(await statusOf(`${service.url}/health`)).toBe(200);
      expect(await service.stop()).toBe(0);
    }
  });
});

describe('a new instance without Kafka', () => {
  let silent: Server;
  /** more than FIRST_LOOK_MS of main.ts, so that the bound and not the look decides */
  const patient = { KAFKA_REQUEST_TIMEOUT_MS: '60000', KAFKA_CONNECTION_TIMEOUT_MS: '60000' };
  const address = () => `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  beforeAll(async () => {
    // Takes connections and says nothing, as a frozen broker does: the longest a look can take.
    silent = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(
      0,
      '127.0.0.1',
    );
    await once(silent, 'listening');
  });
  afterAll(() => void silent.close());

  it('starts anyway, and /health says why it is down', async () => {
    const service = await startService({ KAFKA_BOOTSTRAP_SERVERS: address(), ...patient });
    expect(await statusOf(`${service.url}/health`)).toBe(503);
    expect(await submit(service.url)).toBe(503);
    expect(await statusOf(`${service.managementUrl}/health/live`)).toBe(200);
    // It can answer, and its answer says more than a load balancer's would.
    expect(await statusOf(`${service.managementUrl}/health/ready`)).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('can be stopped while it waits for Kafka', async () => {
    const service = startServiceProcess({
      args: [artefact],
      env: { KAFKA_BOOTSTRAP_SERVERS: address(), MANAGEMENT_PORT: '0', ...patient },
    });
    await service.logged('management listening');
    expect(service.lines.map(({ msg }) => msg)).not.toContain('ready for requests');
    expect(await service.stop()).toBe(0);
  });
});
