import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server for tests, standing in for Docker's: names and their addresses may change at any time. */
export interface NameServer {
  readonly address: string;
  /** Addresses of a name; none makes it unknown, as a stopped container's is. */
  set(name: string, addresses: readonly string[]): void;
  /** The names that were asked for since this was last cleared. */
  readonly asked: Set<string>;
  close(): void;
}

const NAME_ERROR = 3;
const TYPE_A = 1;

/** The queried name and the end of the question in a DNS message (RFC 1035, 4.1.2). */
const questionOf = (query: Buffer): { name: string; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
};

const answerTo = (
  query: Buffer,
  { name, end }: ReturnType<typeof questionOf>,
  names: ReadonlyMap<string, readonly string[]>,
): Buffer => {
  const known = names.get(name);
  const wanted = query.readUInt16BE(end - 4) === TYPE_A ? (known ?? []) : [];
  const records = wanted.map((address) =>
    Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
  );
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (known?.length ? 0 : NAME_ERROR), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12, end), ...records]);
};

export const startNameServer = async (): Promise<NameServer> => {
  const names = new Map<string, readonly string[]>();
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  socket.on('message', (query, { port, address }) => {
    const question = questionOf(query);
    socket.send(answerTo(query, question, names), port, address, () => asked.add(question.name));
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    set: (name, addresses) => void names.set(name, addresses),
    close: () => void socket.close(),
  };
};
