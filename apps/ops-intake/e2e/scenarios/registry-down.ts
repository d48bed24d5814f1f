import { startFakeRegistry } from '../../test/fake-registry.ts';
import { numberedBody } from '../support/answer-log.ts';
import { startService } from '../support/service.ts';
import { acceptedMore, type FaultScenario, startUnderLoad, type TestBed } from './test-bed.ts';

/**
 * S1: the schema registry goes down. A service that runs does not notice, and a start takes the id that is set.
 */
export const registryDown: FaultScenario = {
  id: 'S1',
  fault: 'schema registry down',
  run: async (bed) => {
    const registry = await startFakeRegistry();
    const env = { SCHEMA_REGISTRY_URL: registry.url, SCHEMA_REGISTRY_TIMEOUT_MS: '60000' };
    const { load, topic, end } = await startUnderLoad(bed, 'registry', { env });
    await registry.close();
    await acceptedMore(load, 500);
    const { audit, found } = await end();
    const records = await bed.broker.consume(topic);
    const without = records.filter(({ headers }) => headers['ce_schemaid'] !== '1').length;
    if (without > 0) found.push(`${without} records without the id`);
    const fallback = {
      SCHEMA_REGISTRY_TIMEOUT_MS: '1000',
      SCHEMA_REGISTRY_FALLBACK_IDS: 'operations.v1:258',
    };
    found.push(...(await framed(bed, { ...env, ...fallback })));
    return { figures: { ...audit }, violations: found };
  },
};

/** A framed record is found again by its submission id, also when records are no longer framed. */
const framed = async (bed: TestBed, env: Record<string, string>): Promise<string[]> => {
  const topic = await bed.topic('framed');
  const start = (more: Record<string, string>) =>
    startService({ KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers, KAFKA_TOPIC: topic, ...more });
  const one = await start({ ...env, SCHEMA_REGISTRY_FRAMING: 'true' });
  const body = numberedBody(0);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'framed' };
  const post = (url: string) => fetch(`${url}/operations`, { method: 'POST', headers, body });
  const { statusUrl, operations } = (await (await post(one.url)).json()) as Record<string, unknown>;
  await one.stop();
  const other = await start({});
  const answer = (await (await fetch(`${other.url}${String(statusUrl)}`)).json()) as Record<string, unknown>;
  await other.stop();
  const [record] = await bed.broker.consume(topic);
  const found: string[] = [];
  if (answer['outcome'] !== 'accepted' || answer['operations'] !== operations)
    found.push(`framed record: ${JSON.stringify(answer)}`);
  if (record?.value !== `\0\0\0\u0001\u0002${body}`) found.push(`framed value: ${record?.value}`);
  return found;
};
