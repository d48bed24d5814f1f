import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { type Neighbourhood, startNeighbourhood } from './support/neighbourhood.ts';
import { ask } from './support/request.ts';
import { type Instance, startService } from './support/service.ts';

describe('the proxy with TLS=on', () => {
  const certificates = mkdtempSync(join(tmpdir(), 'certificates-'));
  let around: Neighbourhood;
  let instance: Instance;

  beforeAll(async () => {
    const file = (name: string) => join(certificates, name);
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ],
        ...['-subj', '/CN=three-services', '-addext', 'subjectAltName=DNS:*.services.example'],
        ...['-keyout', file('tls.key'), '-out', file('tls.crt')],
      ],
      { stdio: 'ignore' },
    );
    // Made for this test only, and read by nginx as nobody special.
    chmodSync(certificates, 0o755);
    chmodSync(file('tls.key'), 0o644);
    around = await startNeighbourhood({ TLS: 'on', CERTIFICATES: certificates, DOMAIN: 'services.example' });
    around.names.set('ip-locate', ['127.0.0.1']);
    instance = await startService('ip-locate', {
      port: around.ports['ip-locate'],
      env: { TRUST_PROXY: 'loopback' },
    });
  });
  afterAll(async () => {
    await instance.end();
    await around.close();
    rmSync(certificates, { recursive: true });
  });

  const secure = (host: string, path: string) =>
    new Promise<{ status: number; body: string; hsts: unknown; protocol: string | null }>(
      (resolve, reject) => {
        const options = {
          host: '127.0.0.1',
          port: around.httpsPort,
          path,
          servername: host,
          headers: { host },
        };
        const ca = readFileSync(join(certificates, 'tls.crt'));
        request({ ...options, ca, agent: false }, (answer) => {
          const protocol = (answer.socket as TLSSocket).getProtocol();
          const hsts = answer.headers['strict-transport-security'];
          text(answer).then(
            (body) => resolve({ status: answer.statusCode ?? 0, body, hsts, protocol }),
            reject,
          );
        })
          .on('error', reject)
          .end();
      },
    );

  it('serves over HTTPS with the certificate of the folder', async () => {
    const answer = await secure('ip-locate.services.example', '/8.8.8.8/json/');
    expect(answer).toMatchObject({ status: 200, hsts: 'max-age=31536000', protocol: 'TLSv1.3' });
    expect(JSON.parse(answer.body)).toMatchObject({ ip: '8.8.8.8' });
  });

  it('does not know other hosts there either', async () => {
    const answer = await secure('elsewhere.services.example', '/');
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ type: 'urn:problem-type:not-found' });
  });

  it('sends plain HTTP there, method and path kept', async () => {
    const host = 'ops-intake.services.example';
    const answer = await ask({
      port: around.proxy.port,
      host,
      path: '/operations?a=1',
      method: 'POST',
      body: '[]',
    });
    expect([answer.status, answer.headers.location]).toEqual([
      308,
      `https://${host}:${around.httpsPort}/operations?a=1`,
    ]);
  });
});
