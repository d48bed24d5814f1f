import { Agent } from 'undici';
import { untilHealth } from '../support/health.ts';
import { bodyOf, capitalGainsCases } from '../support/capital-gains.ts';
import { post } from '../support/load.ts';
import { type Random, seededRandom } from '@workspace/testing/seeded-random';
import { startService } from '../support/service.ts';
import { type FaultScenario } from './test-bed.ts';

const operation = (members: string): string => `[{${members}}]`;
const valid = '"operation":"buy","unit-cost":10.00,"quantity":1';

/** Bodies that must be rejected with a 4xx, each for a reason of its own. */
export const malicious: readonly (readonly [name: string, body: string | Buffer])[] = [
  ['empty', ''],
  ['nesting of 100,000', '['.repeat(100_000)],
  ['closed nesting of 10,000', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['duplicate key, same value', operation(`${valid},"quantity":1`)],
  ['duplicate key, other value', operation(`${valid},"quantity":2`)],
  ['duplicate key, escaped', operation(`${valid},"q\\u0075antity":2`)],
  ['__proto__', operation(`${valid},"__proto__":{"quantity":2}`)],
  ['constructor', operation(`${valid},"constructor":{"prototype":{}}`)],
  ['byte order mark', `\ufeff${operation(valid)}`],
  ['NaN', operation(valid.replace('10.00', 'NaN'))],
  ['Infinity', operation(valid.replace('10.00', 'Infinity'))],
  ['negative', operation(valid.replace('10.00', '-1'))],
  ['negative zero', operation(valid.replace('10.00', '-0'))],
  ['exponent in a quantity', operation(valid.replace('"quantity":1', '"quantity":1e2'))],
  ['huge exponent', operation(valid.replace('10.00', '1e999'))],
  ['16 digits', operation(valid.replace('10.00', '1234567890123.456'))],
  ['9 fraction digits', operation(valid.replace('10.00', '1.123456789'))],
  ['leading zero', operation(valid.replace('10.00', '010'))],
  ['point without digits', operation(valid.replace('10.00', '10.'))],
  ['number as text', operation(valid.replace('10.00', '"10.00"'))],
  ['null', operation(valid.replace('10.00', 'null'))],
  ['true', operation(valid.replace('10.00', 'true'))],
  ['quantity with fraction', operation(valid.replace('"quantity":1', '"quantity":1.0'))],
  ['quantity zero', operation(valid.replace('"quantity":1', '"quantity":0'))],
  ['quantity beyond 2^53', operation(valid.replace('"quantity":1', '"quantity":9007199254740992'))],
  ['million digits', operation(valid.replace('10.00', '1'.repeat(1_000_000)))],
  [
    'bad UTF-8',
    Buffer.concat([Buffer.from('[{"operation":"b'), Buffer.from([0xff, 0xfe]), Buffer.from('"}]')]),
  ],
  ['overlong UTF-8', Buffer.concat([Buffer.from('["'), Buffer.from([0xc0, 0xaf]), Buffer.from('"]')])],
  ['UTF-16', Buffer.from(operation(valid), 'utf16le')],
  ['lone surrogate', operation(valid.replace('buy', '\\ud800'))],
  ['NUL byte', `${operation(valid)}\u0000`],
  ['two documents', operation(valid) + operation(valid)],
  ['trailing comma', `[{${valid}},]`],
  ['comment', `[/* */{${valid}}]`],
  ['single quotes', operation(valid.replaceAll('"', "'"))],
  ['object', `{${valid}}`],
  ['empty array', '[]'],
  ['array of null', '[null]'],
  ['unknown member', operation(`${valid},"note":"x"`)],
  ['10,001 operations', `[${Array.from({ length: 10_001 }, () => `{${valid}}`).join(',')}]`],
  ['2 MiB', ' '.repeat(2 * 1024 * 1024)],
];

/** A valid body with one to three bytes changed, inserted or taken out. */
const mutated = (random: Random): Buffer => {
  let bytes = Buffer.from(bodyOf(capitalGainsCases[Math.floor(random() * capitalGainsCases.length)]!.rows));
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    const at = Math.floor(random() * bytes.length);
    const inserted = random() < 0.7 ? [Math.floor(random() * 256)] : [];
    const removed = random() < 0.7 ? 1 : 0;
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at + removed)]);
  }
  return bytes;
};

/** F12: hostile bodies are rejected with 4xx and never reach the log; whatever is accepted is in it as posted. */
export const fuzz: FaultScenario = {
  id: 'F12',
  fault: 'hostile bodies: nesting, duplicate keys, __proto__, BOM, NaN, bad UTF-8, random damage',
  run: async (bed) => {
    const mutations = bed.long ? 100_000 : 3_000;
    const topic = await bed.topic('fuzz');
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
      KAFKA_TOPIC: topic,
    });
    await untilHealth(service.url, 200);
    const agent = new Agent({ connections: 16 });
    const found: string[] = [];
    for (const [name, body] of malicious) {
      const answer = await post(agent, service.url, body);
      if (!answer || answer.status < 400 || answer.status > 499) found.push(`${name}: ${answer?.status}`);
    }
    const random = seededRandom(12);
    const accepted = new Map<string, string>();
    let rejected = 0;
    for (let at = 0; at < mutations; at += 16) {
      const bodies = Array.from({ length: 16 }, () => mutated(random));
      const answers = await Promise.all(bodies.map((body) => post(agent, service.url, body)));
      answers.forEach((answer, index) => {
        const body = bodies[index]!.toString('latin1');
        if (answer?.status === 202) accepted.set(String(answer.body['submissionId']), body);
        else if (answer && answer.status >= 400 && answer.status <= 499) rejected += 1;
        else found.push(`${answer?.status} for ${body}`);
      });
    }
    await agent.close();
    await service.stop();
    const records = await bed.broker.consume(topic);
    const altered = records.filter(
      ({ key, value }) => Buffer.from(value).toString('latin1') !== accepted.get(key ?? ''),
    );
    if (records.length !== accepted.size)
      found.push(`${records.length} records of ${accepted.size} accepted`);
    for (const { value } of altered) found.push(`altered: ${value}`);
    for (const { value } of records) JSON.parse(value);
    return {
      figures: { hostile: malicious.length, mutations, rejected, 'accepted and byte-equal': accepted.size },
      violations: found,
    };
  },
};
