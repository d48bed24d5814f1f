import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { captureLogger, eventually, freePort } from '@workspace/testing';
import { type ClockWatchOptions, watchClock } from './clock-watch.ts';

const NOW = new Date('2026-11-24T03:29:00Z');
const NOW_US = NOW.getTime() * 1_000;

/** Answers datagrams until it is closed; undefined is no answer. */
const startServer = async (answer: (request: Buffer) => Buffer | undefined, port = 0) => {
  const socket = createSocket('udp4');
  const server = { port: 0, answer, asked: 0, close: () => new Promise<void>((done) => socket.close(done)) };
  socket.on('message', (request, from) => {
    server.asked += 1;
    const reply = server.answer(request);
    if (reply) socket.send(reply, from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  server.port = socket.address().port;
  return server;
};

const watching = (source: string, more: Partial<ClockWatchOptions> = {}) => {
  const { logger, lines } = captureLogger();
  const watch = watchClock({
    source,
    maxDivergenceSeconds: 0.001,
    intervalMs: 5,
    waitMs: 200,
    clock: () => NOW,
    microseconds: () => NOW_US,
    logger,
    ...more,
  });
  return { ...watch, lines };
};

/** What chronyd 4.3 answered when `chronyc tracking` said 1.544 µs fast, root delay 6.460 µs, root dispersion 1.163 µs. */
const TRACKING = Buffer.from(
  '060200000021000500000000000000000000004d00000000000000007f0000017f0000010000000000000000000000000001000000020000000000006b0504850b3b6064dd30d0d6ce806763cec7a488f28b661aeae094aaf69868dfe0d8c2fadc9c238c00827b39',
  'hex',
);
const trackingFor = (request: Buffer, change: (answer: Buffer) => void = () => undefined): Buffer => {
  const answer = Buffer.from(TRACKING);
  request.copy(answer, 16, 8, 12);
  change(answer);
  return answer;
};

describe('the clock by chrony', () => {
  it('is read as chronyc shows it', async () => {
    const server = await startServer((request) => trackingFor(request));
    const watch = watching(`chrony://127.0.0.1:${server.port}`);
    await watch.probed;
    const { reading, warning, checkedAt } = watch.state();
    expect(reading?.isSynchronised).toBe(true);
    expect(reading!.aheadSeconds * 1e6).toBeCloseTo(1.544, 3);
    expect(reading!.divergenceSeconds * 1e6).toBeCloseTo(1.544 + 1.163 + 6.46 / 2, 2);
    expect([warning, checkedAt]).toEqual([undefined, NOW]);
    watch.close();
    await server.close();
  });

  it('is warned of, and logged, when it is not synchronised, too far off, and not known', async () => {
    const server = await startServer((request) =>
      trackingFor(request, (answer) => answer.writeUInt16BE(3, 54)),
    );
    const watch = watching(`chrony://localhost:${server.port}`);
    const warned = (text: string) => eventually(text, async () => watch.state().warning?.includes(text));
    await warned('not synchronised');
    expect(watch.state().reading?.isSynchronised).toBe(false);
    // A correction of 0.5 s is left: the clock is behind.
    server.answer = (request) => trackingFor(request, (answer) => answer.writeUInt32BE(0x01000000 - 1, 68));
    await warned('off UTC (measured: 500.000 ms behind), more than 1.000 ms');
    server.answer = () => undefined;
    await warned('not known: chrony://localhost:');
    expect(watch.state().reading).toBeUndefined();
    server.answer = (request) => trackingFor(request, (answer) => answer.writeUInt16BE(2, 8));
    await warned('chronyd answers with version 6 and status 2');
    server.answer = (request) => trackingFor(request);
    await eventually('no warning', async () => watch.state().reading?.isSynchronised);
    expect(watch.state().warning).toBeUndefined();
    watch.close();
    await server.close();
    expect(watch.lines.map(({ msg }) => msg)).toEqual(['clock may be wrong', 'clock synchronised']);
  });

  it('is not known when nothing listens, and known once something does', async () => {
    const port = (await freePort())!;
    const watch = watching(`chrony://127.0.0.1:${port}`);
    await watch.probed;
    expect(watch.state().warning).toContain(`not known: chrony://127.0.0.1:${port}: `);
    const server = await startServer((request) => trackingFor(request), port);
    await eventually('a reading', async () => watch.state().reading);
    watch.close();
    await server.close();
  });

  it('takes no answer to another request, and asks again when a datagram is lost', async () => {
    const server = await startServer((request) =>
      server.asked === 1
        ? undefined
        : trackingFor(request, (answer) => {
            if (server.asked === 2) answer.writeUInt32BE(0xffff, 16);
          }),
    );
    const watch = watching(`chrony://127.0.0.1:${server.port}`, { intervalMs: 60_000, waitMs: 500 });
    await watch.probed;
    expect([server.asked, watch.state().reading?.isSynchronised]).toEqual([3, true]);
    watch.close();
    await server.close();
  });

  it('survives answers of any bytes', async () => {
    let seed = 3;
    const byte = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
    const server = await startServer((request) =>
      trackingFor(request, (answer) => {
        for (let changes = byte() % 9; changes > 0; changes--) answer[byte() % answer.length] = byte();
      }).subarray(0, byte() < 128 ? 104 : byte() % 104),
    );
    const watch = watching(`chrony://127.0.0.1:${server.port}`, { intervalMs: 0, waitMs: 1 });
    await eventually('2,000 answers', async () => server.asked > 2_000);
    server.answer = (request) => trackingFor(request);
    await eventually('a reading', async () => watch.state().warning === undefined);
    watch.close();
    await server.close();
  });
});

/** A server whose clock is ahead of this one by so many seconds. */
const ntpAnswer = (request: Buffer, ahead: number, { leap = 0, stratum = 2, rootDelay = 0 } = {}): Buffer => {
  const answer = Buffer.alloc(48);
  answer[0] = (leap << 6) | 0x24;
  answer[1] = stratum;
  answer.writeUInt32BE(rootDelay * 2 ** 16, 4);
  answer.write('RATE', 12);
  request.copy(answer, 24, 40, 48);
  const seconds = NOW_US / 1e6 + ahead;
  for (const at of [32, 40]) {
    answer.writeUInt32BE((Math.floor(seconds) + 2_208_988_800) % 2 ** 32, at);
    answer.writeUInt32BE((seconds % 1) * 2 ** 32, at + 4);
  }
  return answer;
};

describe('the clock by NTP', () => {
  const probe = async (
    answer: (request: Buffer) => Buffer | undefined,
    more: Partial<ClockWatchOptions> = {},
  ) => {
    const server = await startServer(answer);
    // A request that is sent again, because this machine is busy, is another reading.
    const patient = { intervalMs: 60_000, waitMs: 60_000 };
    const watch = watching(`ntp://127.0.0.1:${server.port}`, { ...patient, ...more });
    await watch.probed;
    watch.close();
    await server.close();
    return { ...watch.state(), asked: server.asked };
  };

  it('is compared with that of the server', async () => {
    const { reading, warning, asked } = await probe((request) => ntpAnswer(request, -0.25));
    expect(reading).toMatchObject({ isSynchronised: true });
    expect(reading!.aheadSeconds).toBeCloseTo(0.25, 6);
    expect(warning).toContain('250.000 ms ahead');
    // A reading beyond the bound is repeated.
    expect(asked).toBe(4);
    expect((await probe((request) => ntpAnswer(request, 0.000_25))).asked).toBe(1);
  });

  it('counts what is uncertain: the way there and back, and what the server is off', async () => {
    let calls = 0;
    const microseconds = () => NOW_US + (calls++ % 2) * 400;
    const { reading } = await probe((request) => ntpAnswer(request, 0.000_2, { rootDelay: 0.5 }), {
      microseconds,
    });
    expect(reading!.aheadSeconds).toBeCloseTo(0, 6);
    expect(reading!.divergenceSeconds).toBeCloseTo(0.000_2 + 0.25, 6);
  });

  it('is right after the timestamps begin anew, in 2036', async () => {
    const later = new Date('2036-02-07T06:28:15.9Z').getTime() * 1_000;
    const { reading } = await probe(
      (request) => {
        const answer = ntpAnswer(request, 0);
        for (const at of [32, 40]) {
          answer.writeUInt32BE(0, at);
          answer.writeUInt32BE(0, at + 4);
        }
        return answer;
      },
      { microseconds: () => later },
    );
    expect(reading!.aheadSeconds).toBeCloseTo(-0.1, 6);
  });

  it.each([
    ['leap indicator 3', { leap: 3 }],
    ['stratum 16', { stratum: 16 }],
  ])('is not synchronised by a server with %s', async (_name, more) => {
    const { warning, asked } = await probe((request) => ntpAnswer(request, 0, more));
    expect(warning).toContain('not synchronised');
    expect(asked).toBe(1);
  });

  it('is not known when the server sends clients away, or the answer is forged', async () => {
    expect((await probe((request) => ntpAnswer(request, 0, { stratum: 0 }))).warning).toContain('RATE');
    const forge = (request: Buffer): Buffer => {
      const answer = ntpAnswer(request, 0);
      answer[31] = answer[31]! ^ 1;
      return answer;
    };
    const forged = await probe(forge, { waitMs: 20 });
    expect(forged.warning).toContain('no answer');
  });
});
