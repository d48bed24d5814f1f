import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { closings } from '../../test/opened-stores.ts';

/** Listens for clients until the test has ended. @returns the port */
const listen = async (serve: (socket: Socket, connection: number) => void): Promise<number> => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket, (connections += 1));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** Answers each command of a Redis client. @param answerTo in RESP, to the words of a command on the nth connection */
export const startLyingRedis = (answerTo: (words: string[], connection: number) => string): Promise<number> =>
  listen((socket, connection) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += String(chunk);
      for (;;) {
        const [head, count] = /^\*(\d+)\r\n/.exec(text) ?? [];
        if (head === undefined) return;
        let at = head.length;
        const words: string[] = [];
        while (words.length < Number(count)) {
          const [prefix, length] = /^\$(\d+)\r\n/.exec(text.slice(at)) ?? [];
          if (prefix === undefined || text.length < at + prefix.length + Number(length) + 2) return;
          words.push(text.slice(at + prefix.length, at + prefix.length + Number(length)));
          at += prefix.length + Number(length) + 2;
        }
        text = text.slice(at);
        socket.write(answerTo(words, connection), 'latin1');
      }
    });
  });

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int16 = (value: number): Buffer => int32(value).subarray(2);
const message = (type: string, ...parts: (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
/** PostgreSQL's numbers of types: bool, int8, text, float8 */
const TYPES = { boolean: 16, bigint: 20, string: 25, number: 701 } as const;
export type Row = Readonly<Record<string, string | number | boolean | null>>;

const rowsAs = (rows: readonly Row[]): Buffer[] => {
  const columns = Object.entries(rows[0] ?? {});
  const types = columns.map(([name, value]) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int32(0),
      int16(0),
      int32(TYPES[(value === null ? 'string' : typeof value) as keyof typeof TYPES]),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  const cells = (row: Row) =>
    Object.values(row).map((value) => {
      if (value === null) return int32(-1);
      const text = typeof value === 'boolean' ? (value ? 't' : 'f') : String(value);
      return Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);
    });
  return [
    message('T', int16(columns.length), ...types),
    ...rows.map((row) => message('D', int16(columns.length), ...cells(row))),
  ];
};

/** Answers each statement of a PostgreSQL client. @param rowsFor a text: an error of that SQL state */
export const startLyingPostgres = (
  rowsFor: (statement: string, connection: number) => readonly Row[] | string,
): Promise<number> =>
  listen((socket, connection) => {
    let bytes = Buffer.alloc(0);
    let hasStarted = false;
    const prepared = new Map<string, string>();
    let statement = '';
    const ready = message('Z', Buffer.from('I'));
    const answer = (head: Buffer[]): void => {
      const rows = rowsFor(statement, connection);
      const body =
        typeof rows === 'string'
          ? [message('E', 'SERROR', `C${rows}`, 'Mlie', Buffer.alloc(1))]
          : [...rowsAs(rows), message('C', `SELECT ${rows.length}`)];
      socket.write(Buffer.concat([...head, ...body, ready]));
    };
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      for (;;) {
        const start = hasStarted ? 1 : 0;
        if (bytes.length < start + 4 || bytes.length < start + bytes.readInt32BE(start)) return;
        const type = hasStarted ? String.fromCharCode(bytes[0]!) : 'start';
        const body = bytes.subarray(start + 4, start + bytes.readInt32BE(start));
        bytes = bytes.subarray(start + bytes.readInt32BE(start));
        const texts = body.toString().split('\0');
        if (type === 'start') {
          hasStarted = true;
          socket.write(Buffer.concat([message('R', int32(0)), message('K', int32(1), int32(1)), ready]));
        } else if (type === 'P') prepared.set(texts[0]!, texts[1]!);
        else if (type === 'B') statement = prepared.get(texts[1]!)!;
        else if (type === 'S') answer([message('1'), message('2')]);
        else if (type === 'Q') {
          statement = texts[0]!;
          answer([]);
        }
      }
    });
  });
