import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const PTR = 12;
const CODES = { ok: 0, 'server failure': 2, 'no such name': 3 } as const;

/** What the server answers to a question: a name, an error, or nothing at all. */
export type DnsAnswer = { readonly name: string } | keyof typeof CODES | 'silence';

export interface DnsServer {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** the names it was asked for */
  readonly questions: string[];
  close(): void;
}

/** A DNS server on a free port of this machine that answers as `answerTo` says, when it says so. */
export const startDnsServer = async (
  answerTo: (question: string) => DnsAnswer | Promise<DnsAnswer>,
): Promise<DnsServer> => {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    questions.push(name);
    void Promise.resolve(answerTo(name)).then((answer) => {
      // The test is over, perhaps.
      if (answer !== 'silence') socket.send(reply(query, end, answer), port, address, () => undefined);
    });
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, questions, close: () => socket.close() };
};

/** The first question of a query, and where it ends (RFC 1035, section 4.1.2). */
const nameIn = (query: Buffer): { name: string; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 5 };
};

/** The answer to a query: the same header and question, and a PTR record with the name. */
const reply = (query: Buffer, end: number, answer: Exclude<DnsAnswer, 'silence'>): Buffer => {
  const header = Buffer.from(query.subarray(0, 12));
  const name = typeof answer === 'object' ? answer.name : undefined;
  header.writeUInt16BE(0x8180 | (typeof answer === 'object' ? CODES.ok : CODES[answer]), 2);
  // One question; no authority and no additional records, not even the one of EDNS in the query.
  for (const [at, count] of [1, name === undefined ? 0 : 1, 0, 0].entries())
    header.writeUInt16BE(count, 4 + 2 * at);
  const question = query.subarray(12, end);
  if (name === undefined) return Buffer.concat([header, question]);
  const target = Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(PTR, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(target.length, 10);
  return Buffer.concat([header, question, record, target]);
};
