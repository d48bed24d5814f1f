import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Service } from '@workspace/service-kit';
import type { ApiKey } from '@workspace/service-kit/access-tokens';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import { parseRateLimit, type RateLimit } from '@workspace/service-kit/rate-limit';
import type { LocationDatabase } from '../../application/location-database.ts';
import { enrichedLines, lineWriter } from '../../http/lookup/lines/enriched-lines.ts';
import { createBatches } from './index.ts';
import { fixed, MUNICH, testApp } from '../../../test/app.ts';

const NDJSON = 'application/x-ndjson';

let app: Service;
beforeAll(async () => {
  ({ app } = await testApp());
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const post = (
  payload: string,
  type: string,
  query = '?fields=ip,city',
  headers: Record<string, string> = {},
) =>
  app.inject({
    method: 'POST',
    url: `/batch${query}`,
    headers: { 'content-type': type, ...headers },
    payload,
  });
const jsonLines = (body: string): unknown[] =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

/** A request whose body the test writes as it likes. */
const open = async (type: string, on: Service = app) => {
  const { port } = on.server.address() as AddressInfo;
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/batch?fields=ip,city',
    headers: { 'content-type': type },
  });
  const response = once(request, 'response').then(([message]) => message as IncomingMessage);
  return { request, response };
};

describe('POST /batch as NDJSON', () => {
  it('answers each line in its place, and errors too', async () => {
    const body = `"${MUNICH}"\n{"ip":"${MUNICH}","user":7}\r\n\n"10.0.0.1"\nnonsense\n{"user":8}\n{"ip":"x"}`;
    const reply = await post(body, NDJSON);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, `${NDJSON}; charset=utf-8`]);
    expect(jsonLines(reply.body)).toMatchObject([
      { ip: MUNICH, city: 'Munich' },
      { ip: MUNICH, user: 7, city: 'Munich' },
      { error: true, reason: 'Reserved IP Address', ip: '10.0.0.1', reserved: true },
      { error: true, reason: 'Unreadable line', message: 'The line is not JSON.' },
      { error: true, reason: 'Unreadable line' },
      { error: true, reason: 'Invalid IP Address' },
    ]);
  });

  it.each([
    [
      `{"ip":"${MUNICH}","city":"Bonn","geo_city":1}`,
      { ip: MUNICH, city: 'Bonn', geo_city: 1, geo_geo_city: 'Munich' },
    ],
    ['{"ip":"2A00::1","city":null}', { ip: '2a00::1', city: null, geo_city: 'Munich' }],
    [
      '{"ip":"x","status":"active","error":"no","title":"Dr."}',
      {
        ip: 'x',
        status: 'active',
        error: 'no',
        title: 'Dr.',
        geo_error: true,
        geo_status: 400,
        geo_title: 'Invalid IP Address',
      },
    ],
  ])('keeps each member of %s', async (line, expected) => {
    const [found] = jsonLines((await post(line, NDJSON)).body);
    expect(found).toMatchObject(expected);
  });

  it('answers a line that is too long, and continues after it', async () => {
    const long = `"${'9'.repeat(400_000)}"`;
    const reply = await post(`"${MUNICH}"\n${long}\n"${MUNICH}"\n${long}`, NDJSON);
    expect(jsonLines(reply.body)).toMatchObject([
      { city: 'Munich' },
      { reason: 'Unreadable line', message: 'The line is too long.' },
      { city: 'Munich' },
      { message: 'The line is too long.' },
    ]);
  });

  it('is located a few hundred lines in a turn of the event loop, of all streams together', async () => {
    let lines = 0;
    const lookUp = (): never => {
      lines += 1;
      throw new ProblemError(commonProblems['not-found']);
    };
    const read = async (): Promise<void> => {
      const writer = lineWriter({ input: 'text', output: 'ndjson', fields: [], lookUp });
      const source = Readable.from([Buffer.from('x\n'.repeat(1_000))]);
      for await (const _ of enrichedLines(source, { writer }));
    };
    const all = Array.from({ length: 8 }, read);
    for (let before = 0; lines < 8_000; before = lines) {
      await new Promise(setImmediate);
      expect(lines - before).toBeLessThanOrEqual(250);
    }
    await Promise.all(all);
  });

  it.each(['12345678901234567890', '-0.12345678901234567', '1e400', '1E+2'])(
    'keeps the number %s as it is written',
    async (number) => {
      const reply = await post(`{"ip":"${MUNICH}","more":{"id":[${number}]}}`, NDJSON);
      expect(reply.body).toBe(`{"ip":"${MUNICH}","more":{"id":[${number}]},"city":"Munich"}\n`);
    },
  );

  it.each(['1', '1e5'])(
    'answers a line that is nested too deeply, and continues after it: %s',
    async (inmost) => {
      const deep = `${'['.repeat(8_000)}${inmost}${']'.repeat(8_000)}`;
      const body = [MUNICH, 'x'].map((ip) => `{"ip":"${ip}","more":${deep}}\n`).join('');
      const reply = await post(`${body}"${MUNICH}"\n`, NDJSON);
      const problem = { reason: 'Unreadable line', message: 'The line is nested too deeply.' };
      expect(jsonLines(reply.body)).toMatchObject([problem, problem, { city: 'Munich' }]);
    },
  );

  it('answers nothing to nothing', async () => {
    expect((await post('\n\n', NDJSON)).body).toBe('');
  });

  it('is written while the request still arrives', async () => {
    const { request, response } = await open(NDJSON);
    request.write(`"${MUNICH}"\n`);
    const message = await response;
    const [first] = (await once(message, 'data')) as [Buffer];
    expect(jsonLines(first.toString())).toEqual([{ ip: MUNICH, city: 'Munich' }]);
    const second = once(message, 'data');
    request.write('"81.7.0.1"\n');
    expect(jsonLines(String((await second)[0]))).toEqual([{ ip: '81.7.0.1', city: 'Village 7' }]);
    request.end();
    expect(await text(message)).toBe('');
  });

  it('waits for a client that stops reading, in constant memory', async () => {
    const { request, response } = await open(NDJSON);
    const lines = Buffer.from(`"${MUNICH}"\n`.repeat(10_000));
    let sent = 0;
    // Until the service takes no more: its answer waits to be read.
    const source = new Readable({
      read() {
        sent++;
        this.push(sent > 2_000 ? null : lines);
      },
    });
    source.pipe(request);
    const message = await response;
    message.pause();
    let last = -1;
    while (sent !== last) {
      last = sent;
      // No event shows that nothing happens: buffers of the system are full after far less than this.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(sent).toBeLessThan(1_000);
    message.destroy();
    request.destroy();
  });

  it.each([
    [NDJSON, `"${MUNICH}"\n`, /\n{"error":true,"reason":"Request body too large",[^\n]*"status":413}\n$/],
    ['text/csv', `${MUNICH}\n`, /\r\n,,Request body too large\r\n$/],
  ])(
    'ends the answer with an error for a client that sends everything before it reads: %s',
    async (type, line, last) => {
      const { app: impatient } = await testApp({ options: [createBatches(100)] });
      await impatient.listen({ port: 0, host: '127.0.0.1' });
      const { request, response } = await open(type, impatient);
      const chunk = Buffer.from(line.repeat(10_000));
      // More than the buffers of the system take of the answer.
      const source = Readable.from(
        (function* () {
          for (let n = 0; n < 150; n++) yield chunk;
        })(),
      );
      const message = await new Promise<IncomingMessage>((resolve) => {
        let answer: IncomingMessage;
        void response.then((got) => void (answer = got.pause()));
        request.once('finish', () => resolve(answer));
        source.pipe(request);
      });
      const body = await text(message);
      expect(body.slice(-800)).toMatch(last);
      const answered = body.match(new RegExp(MUNICH, 'g'))?.length ?? 0;
      expect(answered).toBeGreaterThan(1_000);
      expect(answered).toBeLessThan(1_500_000);
      await impatient.close();
    },
  );

  it('answers a client to the end that closes its side after the last line', async () => {
    const { port } = app.server.address() as AddressInfo;
    const body = `"${MUNICH}"\n`.repeat(30_000);
    const socket = connect(port, '127.0.0.1');
    socket.end(
      `POST /batch?fields=ip HTTP/1.1\r\nhost: x\r\ncontent-type: ${NDJSON}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const answer = await text(socket);
    expect(answer.match(new RegExp(MUNICH, 'g'))).toHaveLength(30_000);
    expect(answer.slice(-5)).toBe('0\r\n\r\n');
  });

  it('reads no further when the client disconnects', async () => {
    const { app: counted, lines } = await testApp();
    await counted.listen({ port: 0, host: '127.0.0.1' });
    const connected = once(counted.server, 'connection') as Promise<[Socket]>;
    const { request, response } = await open(NDJSON, counted);
    request.write(`"${MUNICH}"\n`);
    const message = await response;
    message.on('error', () => undefined);
    request.on('error', () => undefined);
    const [socket] = await connected;
    // Not `once`, which rejects when the connection is reset, as it is while the client has not read everything.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    request.destroy();
    await closed;
    await counted.close();
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });
});

describe('POST /batch as CSV', () => {
  it('keeps the cells of a row and adds the fields', async () => {
    const reply = await post(
      `user,IP\r\n"Doe, ""J""",${MUNICH}\r\n8,10.0.0.1\r\n`,
      'text/csv; charset=utf-8',
      '?fields=ip,city,latitude',
    );
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(reply.body).toBe(
      `user,IP,city,latitude,error\r\n"Doe, ""J""",${MUNICH},Munich,48.1374,\r\n8,10.0.0.1,,,Reserved IP Address\r\n`,
    );
  });

  it.each([
    ['ip', `,ip,user\r\n0,${MUNICH},7`, `,ip,user,city,error\r\n0,${MUNICH},7,Munich,\r\n`],
    ['the second', `user,ip\n,${MUNICH}`, `user,ip,city,error\r\n,${MUNICH},Munich,\r\n`],
  ])('finds the column %s behind an empty cell, as pandas writes an index', async (_column, body, answer) => {
    expect((await post(body, 'text/csv')).body).toBe(answer);
  });

  it('takes no other cell for the address of a row that ends before the column ip', async () => {
    expect((await post(`user,ip\n${MUNICH}\n`, 'text/csv')).body).toBe(
      `user,ip,city,error\r\n${MUNICH},,,Invalid IP Address\r\n`,
    );
  });

  it.each([
    ['ends early', MUNICH, `${MUNICH},,Munich,`],
    ['ends in more empty cells', `${MUNICH},7,,`, `${MUNICH},7,Munich,`],
    ['has more cells', `${MUNICH},7,8`, `${MUNICH},7,,The row has more cells than the first one.`],
    ['has a cell that goes on in the next line', `${MUNICH},"7`, `${MUNICH},"""7",,A quote does not end.`],
    ['has a quote within a cell', `${MUNICH},19" rack`, `${MUNICH},19" rack,Munich,`],
    ['is too long', 'x'.repeat(20_000), ',,,The line is too long.'],
  ])('keeps the columns in their places when a row %s', async (_row, row, answer) => {
    expect((await post(`ip,user\n${row}\n`, 'text/csv')).body).toBe(`ip,user,city,error\r\n${answer}\r\n`);
  });

  it.each(['x'.repeat(20_000), ','.repeat(1_000)])(
    'names the columns also when the first line is too long',
    async (line) => {
      expect((await post(`${line}\n${MUNICH}\n`, 'text/csv')).body).toBe(
        `ip,city,error\r\n,,The line is too long.\r\n${MUNICH},Munich,\r\n`,
      );
    },
  );

  it('answers a last line that breaks off within a character', async () => {
    const payload = Buffer.concat([Buffer.from(`${MUNICH}\n`), Buffer.from('é').subarray(0, 1)]);
    const reply = await app.inject({
      method: 'POST',
      url: '/batch?fields=ip,city',
      headers: { 'content-type': 'text/csv' },
      payload,
    });
    expect(reply.body).toBe(`ip,city,error\r\n${MUNICH},Munich,\r\n\ufffd,,Invalid IP Address\r\n`);
  });

  it.each([
    ['semicolons', 'ip;user\r\n80.1.2.3;7\r\n', 'ip;user;city;error\r\n80.1.2.3;7;Munich;\r\n'],
    [
      'tabs',
      'user\tip\n\t80.1.2.3\n7\t\n',
      'user\tip\tcity\terror\r\n\t80.1.2.3\tMunich\t\r\n7\t\t\tInvalid IP Address\r\n',
    ],
    [
      'semicolons, without a header',
      '80.1.2.3;"a;b,c"\n',
      'ip;column2;city;error\r\n80.1.2.3;"a;b,c";Munich;\r\n',
    ],
    [
      'semicolons, and a row that is too long',
      'ip;a\n80.1.2.3;b;c;d\n',
      'ip;a;city;error\r\n80.1.2.3;b;;The row has more cells than the first one.\r\n',
    ],
    [
      'semicolons, and an open quote',
      'ip;a\n80.1.2.3;"b\n',
      'ip;a;city;error\r\n80.1.2.3;"""b";;A quote does not end.\r\n',
    ],
    [
      'a separator that Excel names',
      'sep=;\r\na;b\r\n80.1.2.3;1,5\r\n',
      'a;b;city;error\r\n80.1.2.3;1,5;Munich;\r\n',
    ],
    ['a BOM', '\ufeffip,a\n80.1.2.3,b\n', 'ip,a,city,error\r\n80.1.2.3,b,Munich,\r\n'],
    [
      'CR only',
      'ip,a\r80.1.2.3,b\r\r80.1.2.3,c',
      'ip,a,city,error\r\n80.1.2.3,b,Munich,\r\n80.1.2.3,c,Munich,\r\n',
    ],
    [
      'spaces',
      'ip, a \n 80.1.2.3 , b \n" 80.1.2.3 "," c "',
      'ip, a ,city,error\r\n 80.1.2.3 , b ,Munich,\r\n" 80.1.2.3 "," c ",Munich,\r\n',
    ],
    [
      'no header, but a first row without an address',
      'localhost,1\n80.1.2.3,2\n',
      'ip,column2,city,error\r\nlocalhost,1,,Invalid IP Address\r\n80.1.2.3,2,Munich,\r\n',
    ],
    [
      'no header, but a host',
      'a.example\n80.1.2.3\n',
      'ip,city,error\r\na.example,,Invalid IP Address\r\n80.1.2.3,Munich,\r\n',
    ],
    [
      'a header without ip',
      'Adresse,Besucher\n80.1.2.3,2\n',
      'Adresse,Besucher,city,error\r\n80.1.2.3,2,Munich,\r\n',
    ],
    [
      'ip in quotes and capitals',
      '"Besucher","IP"\n"a","80.1.2.3"\n',
      'Besucher,IP,city,error\r\n"a","80.1.2.3",Munich,\r\n',
    ],
    [
      'columns with our names',
      'ip,City,error\n80.1.2.3,Bonn,no\n',
      'ip,City,error,geo_city,geo_error\r\n80.1.2.3,Bonn,no,Munich,\r\n',
    ],
    [
      'columns with all our names',
      'ip,city,geo_city\n80.1.2.3,Bonn,\n',
      'ip,city,geo_city,geo_geo_city,error\r\n80.1.2.3,Bonn,,Munich,\r\n',
    ],
  ])('is read as spreadsheets write it: %s', async (_, body, expected) => {
    expect((await post(body, 'text/csv')).body).toBe(expected);
    // Cut anywhere.
    const written = lineWriter({
      input: 'csv',
      output: 'csv',
      fields: ['ip', 'city'],
      lookUp: () => {
        throw new ProblemError(commonProblems['not-found']);
      },
    });
    const pieces = [...Buffer.from(body)].map((byte) => Buffer.of(byte));
    let rows = 0;
    for await (const some of enrichedLines(Readable.from(pieces), { writer: written }))
      rows += some.split('\r\n').length - 1;
    expect(rows).toBe(expected.split('\r\n').length - 1);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])(
    'is not taken with Content-Encoding: %s',
    async (encoding) => {
      for (const [type, body] of [
        ['text/csv', 'ip\n80.1.2.3'],
        [NDJSON, '"80.1.2.3"'],
        ['application/json', '["80.1.2.3"]'],
      ] as const) {
        const reply = await post(body, type, '', { 'content-encoding': encoding });
        expect([reply.statusCode, reply.headers['accept-encoding']]).toEqual([415, 'identity']);
        expect((await post(body, type, '', { 'content-encoding': 'Identity' })).statusCode).toBe(200);
      }
    },
  );

  it('takes the first column without a header', async () => {
    expect((await post(`${MUNICH}\nnonsense\n`, 'text/csv')).body).toBe(
      `ip,city,error\r\n${MUNICH},Munich,\r\nnonsense,,Invalid IP Address\r\n`,
    );
    expect((await post(`${MUNICH},x\n`, 'text/csv')).body).toBe(
      `ip,column2,city,error\r\n${MUNICH},x,Munich,\r\n`,
    );
  });
});

describe('limits', () => {
  const limitOf = (limit: RateLimit) => ({ settings: { rateLimit: limit } });
  const keyWith = (limit: RateLimit) => {
    const keyOf = (): ApiKey => ({ name: 'acme', limit });
    const none = { inQuery: () => undefined, answersVary: () => false, problems: [], schemes: {} };
    return { opened: { 'api-keys': { apiKeys: { required: true, keyOf, ...none } } } };
  };
  it.each([
    ['everyone', limitOf],
    ['a key', keyWith],
  ])(
    'of %s, however small: a stream ends when they run out, and the next is a problem',
    async (_, options) => {
      const { app: limited } = await testApp(options({ requests: 2, per: 'hour' }));
      const url = `${await limited.listen({ port: 0, host: '127.0.0.1' })}/batch`;
      const send = (lines: number) =>
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': NDJSON },
          body: `"8.8.8.8"\n`.repeat(lines),
        });
      const answer = await send(1_000);
      const body = await answer.text();
      expect([answer.status, body.match(/8\.8\.8\.8/g)]).toEqual([200, ['8.8.8.8', '8.8.8.8']]);
      expect(body).toMatch(/"status":429,"retryAfter":3600}\n$/);
      expect((await send(1)).status).toBe(429);
      await limited.close();
    },
  );

  it.each([
    [
      NDJSON,
      `"${MUNICH}"\n`,
      /\n{"error":true,"reason":"RateLimited",[^\n]*"status":429,"retryAfter":2400}\n$/,
    ],
    ['text/csv', `${MUNICH}\n`, /\r\n,,RateLimited\r\n$/],
    ['text/csv', `7,${MUNICH}\n`, /\r\n,,,RateLimited\r\n$/],
  ])(
    'that run out within a stream of %s: the last line says so, and the connection closes',
    async (type, line, last) => {
      const rateLimit = parseRateLimit({ RATE_LIMIT: '300/hour' });
      const { app: limited } = await testApp({ settings: { ...(rateLimit && { rateLimit }) } });
      await limited.listen({ port: 0, host: '127.0.0.1' });
      const { request, response } = await open(type, limited);
      request.write(line.repeat(250));
      const message = await response;
      expect([message.statusCode, message.headers['ratelimit']]).toEqual([200, '"lookups";r=50;t=3000']);
      const body = text(message);
      const closed = new Promise((resolve) => request.once('close', resolve));
      // As a client with many lines: it continues to send until it is stopped.
      request.on('error', () => undefined);
      const source = new Readable({
        read() {
          this.push(line.repeat(250));
        },
      });
      source.pipe(request);
      try {
        expect((await body).match(new RegExp(MUNICH, 'g'))).toHaveLength(250);
        expect((await body).slice(-300)).toMatch(last);
        await closed;
      } finally {
        source.destroy();
        request.destroy();
      }
      await limited.close();
    },
  );

  it('without a database the answer is 503', async () => {
    const { app: empty } = await testApp({ locations: fixed<LocationDatabase>(undefined) });
    const reply = await empty.inject({
      method: 'POST',
      url: '/batch',
      headers: { 'content-type': NDJSON },
      payload: `"${MUNICH}"\n`,
    });
    expect([reply.statusCode, reply.json<{ type: string }>().type]).toEqual([
      503,
      'urn:problem-type:no-database',
    ]);
    await empty.close();
  });
});
