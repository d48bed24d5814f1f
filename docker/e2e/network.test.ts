import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { eventually, freePort } from '@workspace/testing';
import { createCertificate } from './support/certificate.ts';
import { run } from './support/process.ts';
import { Stack, SUBMISSION } from './support/stack.ts';

/** Two machines on an IPv6 network with this one: a network namespace with two addresses, behind a pair of interfaces. */
const NAMESPACE = `e2e-${process.pid}`;
const HOST = 'fd5e:2e00::1';
const CLIENTS = ['fd5e:2e00::a', 'fd5e:2e00::b'];
const ip = (line: string) => execFileSync('ip', line.split(' '));
/** The same two on an IPv4 network, where the other machine sends to containers by way of this one. */
const HOST_IPV4 = '198.51.100.1';
const NEIGHBOUR = '198.51.100.2';

describe('the stack on the network', () => {
  const certificates = mkdtempSync(join(tmpdir(), 'certificates-'));
  let stack: Stack;
  let httpsPort: number;

  beforeAll(async () => {
    ip(`netns add ${NAMESPACE}`);
    ip(`link add ${NAMESPACE} type veth peer name client netns ${NAMESPACE}`);
    ip(`addr add ${HOST}/64 dev ${NAMESPACE} nodad`);
    ip(`link set ${NAMESPACE} up`);
    for (const client of CLIENTS) ip(`-n ${NAMESPACE} addr add ${client}/64 dev client nodad`);
    ip(`addr add ${HOST_IPV4}/30 dev ${NAMESPACE}`);
    ip(`-n ${NAMESPACE} addr add ${NEIGHBOUR}/30 dev client`);
    ip(`-n ${NAMESPACE} link set client up`);
    ip(`-n ${NAMESPACE} route add default via ${HOST_IPV4}`);
    ip(`-n ${NAMESPACE} route add default via ${HOST}`);
    // As certificate tools leave it: readable by its owner alone, in a folder of mode 0700.
    createCertificate(certificates, 0o600);
    httpsPort = await freePort();
    stack = await Stack.create({ COMPOSE_FILE: 'compose.yaml:compose.ipv6.yaml', BIND_ADDRESS_IPV6: HOST });
    await stack.up('proxy', 'release-web', 'ops-intake', 'ip-locate');
  });
  afterAll(async () => {
    await stack.remove();
    ip(`link delete ${NAMESPACE}`);
    ip(`netns delete ${NAMESPACE}`);
    rmSync(certificates, { recursive: true, force: true });
  });

  it('sends each service the address of an IPv6 client', async () => {
    for (const client of CLIENTS) {
      const words = ['netns', 'exec', NAMESPACE, 'curl', '-sS', '--max-time', '5', '--interface', client];
      const url = [`http://[${HOST}]:${stack.port}/ip/`, '--header', 'Host: ip-locate.localhost'];
      const answer = await eventually('answer', () => run({ command: 'ip', args: [...words, ...url] }));
      expect(answer).toContain(client);
    }
  });

  it('closes ops-intake without tokens when its IPv6 address is not loopback, and opens it when both are', async () => {
    // Asked as another machine does, and as this one: the proxy closes what it cannot distinguish.
    const words = ['netns', 'exec', NAMESPACE, 'curl', '-sS', '--write-out', '\\n%{http_code}'];
    const submission = ['--data', String(SUBMISSION.body), '--header', 'Content-Type: application/json'];
    const url = [`http://[${HOST}]:${stack.port}/operations`, '--header', 'Host: ops-intake.localhost'];
    expect(await run({ command: 'ip', args: [...words, ...submission, ...url] })).toMatch(
      /OPS_INTAKE_AUTH_TOKENS.*"outcome":"not-published"\}\n403$/,
    );
    expect((await stack.ask('ops-intake', '/operations', SUBMISSION)).status).toBe(403);

    stack.set({ BIND_ADDRESS_IPV6: undefined });
    await stack.up('proxy', 'ops-intake', 'kafka');
    for (const address of ['127.0.0.1', '::1']) {
      const accepted = await eventually('202', async () => {
        const answer = await stack.ask('ops-intake', '/operations', { ...SUBMISSION, address });
        return answer.status === 202 ? answer : undefined;
      });
      expect(JSON.parse(accepted.body)).toMatchObject({ operations: 1 });
    }
  });

  it('lets no neighbour in that reaches the containers’ network, while it is published on loopback', async () => {
    const inNamespace = (...args: string[]) =>
      run({ command: 'ip', args: ['netns', 'exec', NAMESPACE, ...args] });
    const [proxy] = await stack.containers('proxy');
    const [{ IPAddress, GlobalIPv6Address } = {}] = Object.values(proxy!.NetworkSettings.Networks);
    const requests = [
      [
        'ops-intake',
        '/operations',
        '--data',
        String(SUBMISSION.body),
        '--header',
        'Content-Type: application/json',
      ],
      ['release-web', '/releases/branches.php'],
      ['ip-locate', '/8.8.8.8/json/'],
    ] as const;
    for (const address of [IPAddress, `[${GlobalIPv6Address}]`]) {
      for (const [service, path, ...more] of requests) {
        const url = [`http://${address}:8080${path}`, '--header', `Host: ${service}.localhost`, ...more];
        const asked = ['curl', '-sS', '--write-out', '\\n%{http_code}', ...url];
        expect(await inNamespace(...asked)).toMatch(/"urn:problem-type:forbidden".*BIND_ADDRESS[^]*\n403$/);
      }
    }
    // Kafka's ApiVersions request, as in its health check.
    const isKafka = (address: string, port: number) =>
      `exec 3<>/dev/tcp/${address}/${port} && printf '\\0\\0\\0\\12\\0\\22\\0\\0\\0\\0\\0\\1\\377\\377' >&3 && head -c 8 <&3 2>/dev/null | wc -c`;
    const [kafka] = await stack.containers('kafka');
    const [{ IPAddress: broker = '' } = {}] = Object.values(kafka!.NetworkSettings.Networks);
    for (const target of [isKafka(broker, 9092), isKafka(broker, 19092), isKafka(IPAddress!, 9092)]) {
      const answered = await inNamespace('timeout', '5', 'bash', '-c', target).catch(() => '0');
      expect([target, answered.trim()]).toEqual([target, '0']);
    }
    expect(await run({ command: 'bash', args: ['-c', isKafka('127.0.0.1', stack.kafkaPort)] })).toBe('8\n');
  });

  it.each([
    ['compose.yaml:compose.tls.yaml', ['127.0.0.1']],
    ['compose.yaml:compose.ipv6.yaml:compose.tls.yaml', ['127.0.0.1', '::1']],
  ])('serves HTTPS with a key that only root may read, and redirects to it: %s', async (files, addresses) => {
    stack.set({
      COMPOSE_FILE: files,
      TLS_CERTIFICATES: certificates,
      DOMAIN: 'services.example',
      HTTPS_PORT: String(httpsPort),
    });
    await stack.compose('down');
    await stack.up('proxy', 'release-web', 'ops-intake', 'ip-locate');
    const host = 'release-web.services.example';
    const ca = readFileSync(join(certificates, 'tls.crt'));
    for (const address of addresses) {
      const redirect = await stack.ask('', '/releases/feed.php?a=1', { address, host, method: 'POST' });
      const location = new URL(String(redirect.headers.location));
      expect([redirect.status, location.href]).toEqual([
        308,
        `https://${host}:${httpsPort}/releases/feed.php?a=1`,
      ]);
      const answer = await new Promise<{
        status: number;
        body: string;
        hsts: unknown;
        protocol: string | null;
      }>((resolve, reject) => {
        const options = {
          host: address,
          port: location.port,
          path: location.pathname,
          servername: host,
          headers: { host },
        };
        request({ ...options, ca, agent: false }, (response) => {
          const protocol = (response.socket as TLSSocket).getProtocol();
          const hsts = response.headers['strict-transport-security'];
          text(response).then(
            (body) => resolve({ status: response.statusCode ?? 0, body, hsts, protocol }),
            reject,
          );
        })
          .on('error', reject)
          .end();
      });
      expect(answer).toMatchObject({ status: 200, hsts: 'max-age=31536000', protocol: 'TLSv1.3' });
      expect(answer.body).toContain(`https://${host}:${httpsPort}/`);
      expect(answer.body).not.toContain('http://release-web');
    }
  });

  it('serves a renewed certificate, and fails no request meanwhile', async () => {
    /** Asks on a connection of its own. @returns the fingerprint of the certificate */
    const read = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const host = 'release-web.services.example';
        const options = { host: '127.0.0.1', port: httpsPort, path: '/health', servername: host };
        request({ ...options, headers: { host }, agent: false, rejectUnauthorized: false }, (response) => {
          const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
          const { statusCode = 0 } = response.resume();
          if (statusCode === 200) resolve(fingerprint256);
          else reject(new Error(`status ${statusCode}`));
        })
          .on('error', reject)
          .end();
      });
    const seen = new Set([await read()]);
    const failed: unknown[] = [];
    const reading = (async () => {
      while (seen.size < 2 && failed.length === 0)
        await read().then(
          (fingerprint) => seen.add(fingerprint),
          (error: unknown) => failed.push(error),
        );
    })();
    createCertificate(certificates, 0o600);
    await stack.compose('run', '--rm', 'certificates');
    await stack.compose('kill', '-s', 'HUP', 'proxy');
    await reading;
    expect(failed).toEqual([]);

    // Renewed in part, such as by a tool that has not finished: the proxy could not start with it.
    const [, renewed] = seen;
    const key = readFileSync(join(certificates, 'tls.key'));
    createCertificate(certificates, 0o600);
    writeFileSync(join(certificates, 'tls.key'), key);
    await expect(stack.compose('run', '--rm', 'certificates')).rejects.toThrow('not the key of tls.crt');
    await stack.compose('restart', 'proxy');
    expect(await eventually('answer', () => read().catch(() => undefined))).toBe(renewed);
  });
});
