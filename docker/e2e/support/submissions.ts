import { Agent, request } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { StandaloneBroker } from '@workspace/kafka-broker';
import type { ProxiedServices } from './proxied-services.ts';

export interface Submissions {
  /** how often each answer came, keyed submissions apart: `202`, `502 unknown`, `keyed 202`, … */
  readonly answers: Readonly<Record<string, number>>;
  readonly records: number;
  /** submissions with more than one record */
  readonly doubled: string[];
  /** false answers: a 202 without a record (lost), or `not-published` with one; and records that were never submitted */
  readonly wrong: string[];
}

export interface SubmitOptions {
  /** without a key, and with one: each is sent by every second submission if both are */
  readonly kinds: readonly ('keyed' | 'unkeyed')[];
  /** how many submissions wait for their answers at the same time */
  readonly connections: number;
  /** whether to send one more, when `sent` are sent or on their way */
  readonly goesOn: (sent: number) => boolean;
}

/** Sends numbered submissions through the proxy; the answers by number. */
export const submitAll = async (
  port: number,
  { kinds, connections, goesOn }: SubmitOptions,
): Promise<Map<number, string>> => {
  const agent = new Agent({ keepAlive: true });
  const submit = (number: number, isKeyed: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        host: 'ops-intake.localhost',
        'content-type': 'application/json',
        ...(isKeyed && { 'idempotency-key': `"${number}"` }),
      };
      request({ port, agent, path: '/operations', method: 'POST', headers }, (answer) => {
        buffer(answer).then((body) => {
          const { outcome } = JSON.parse(body.toString()) as { outcome?: string };
          resolve([isKeyed ? 'keyed' : '', answer.statusCode, outcome].filter(Boolean).join(' '));
        }, reject);
      })
        .on('error', reject)
        .end(`[{"operation":"buy","unit-cost":10.00,"quantity":${number}}]`);
    });
  const received = new Map<number, string>();
  let sent = 0;
  const client = async () => {
    while (goesOn(sent)) {
      const number = (sent += 1);
      received.set(number, await submit(number, kinds[number % kinds.length] === 'keyed'));
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return received;
};

/**
 * Compares the answers with the records.
 * @param broker whose topic `operations` is deleted at the end
 */
export const compareWithRecords = async (
  received: ReadonlyMap<number, string>,
  broker: StandaloneBroker,
): Promise<Submissions> => {
  const copies = new Map<number, number>();
  await broker.consumeEach('operations', ({ value }) => {
    const number = Number(/"quantity":(\d+)/.exec(value)?.[1]);
    copies.set(number, (copies.get(number) ?? 0) + 1);
  });
  await broker.deleteTopic('operations');
  const answers: Record<string, number> = {};
  const doubled: string[] = [];
  const wrong: string[] = [];
  for (const [number, answer] of received) {
    answers[answer] = (answers[answer] ?? 0) + 1;
    const records = copies.get(number) ?? 0;
    if (records > 1) doubled.push(`${number}: ${answer}, ${records} records`);
    const isTrue = answer.endsWith('202') ? records > 0 : answer.endsWith('unknown') || records === 0;
    if (!isTrue) wrong.push(`${number}: ${answer}, ${records} records`);
  }
  for (const [number, records] of copies) {
    if (!received.has(number)) wrong.push(`${number}: not submitted, ${records} records`);
  }
  const records = [...copies.values()].reduce((sum, one) => sum + one, 0);
  return { answers, records, doubled, wrong };
};

/** What must not be: submissions written twice or lost, untrue answers, and so few accepted ones that this was not put to the test. */
export const faultsOf = ({ answers, doubled, wrong }: Submissions): string[] => {
  const all = Object.values(answers).reduce((sum, one) => sum + one, 0);
  const accepted = (answers['202'] ?? 0) + (answers['keyed 202'] ?? 0);
  const few = accepted > all / 2 ? [] : [`${accepted} of ${all} submissions were accepted`];
  return [...few, ...doubled.map((one) => `written twice: ${one}`), ...wrong.map((one) => `untrue: ${one}`)];
};

/** Has nginx open a connection for each request to ops-intake, which it does not as shipped, from its next start on. */
export const keepNoConnections = ({ proxy }: ProxiedServices): void => {
  const file = join(proxy.folder, 'services/ops-intake.conf');
  const configuration = readFileSync(file, 'utf8');
  const changed = configuration.replaceAll('include kept-connections.conf;', 'keepalive 0;');
  if (changed === configuration) throw new Error(`${file} keeps no connections`);
  writeFileSync(file, changed);
};
