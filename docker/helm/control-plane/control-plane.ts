import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@workspace/testing';
import { program, schemasFolder } from '../e2e/helm.ts';

export interface Answer {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- Kubernetes' own objects, whatever the path
  body: any;
}

const TOKEN = 'token-of-the-tests';

/** A real API server with its etcd, without nodes and controllers: it admits and stores what a cluster would. */
export interface ControlPlane {
  /** for helm */
  readonly kubeconfig: string;
  /** Asks the API server; POST with a body, GET without. */
  ask(path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Starts a control plane on free ports of loopback, and defines the kinds of the Gateway API and Prometheus Operator.
 * @param version of Kubernetes, `1.37.0`
 */
export const startControlPlane = async (version: string): Promise<ControlPlane> => {
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const [client, peer, secure] = await Promise.all([freePort(), freePort(), freePort()]);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const start = (name: string, args: string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'w');
    return spawn(program(name), args, { stdio: ['ignore', log, log] });
  };
  const etcd = start('etcd', [
    ...['--data-dir', join(folder, 'etcd')],
    ...['--listen-client-urls', `http://127.0.0.1:${client}`],
    ...['--advertise-client-urls', `http://127.0.0.1:${client}`],
    ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
    ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
    ...['--initial-cluster', `default=http://127.0.0.1:${peer}`],
  ]);
  const server = start('kube-apiserver', [
    ...['--etcd-servers', `http://127.0.0.1:${client}`],
    ...['--bind-address', '127.0.0.1', '--secure-port', String(secure), '--cert-dir', folder],
    ...['--service-account-issuer', 'https://kubernetes.default.svc'],
    ...['--service-account-key-file', file('service-accounts.pub', publicKey)],
    ...['--service-account-signing-key-file', file('service-accounts.key', privateKey)],
    ...['--token-auth-file', file('tokens.csv', `${TOKEN},admin,admin,system:masters\n`)],
    ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', '10.96.0.0/16'],
  ]);
  const ask = async (path: string, body?: unknown): Promise<Answer> => {
    const asked = request(`https://127.0.0.1:${secure}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      // Made by this API server a moment ago.
      rejectUnauthorized: false,
      // A connection that was kept may have been closed by the server.
      agent: false,
    });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
    const answer = await text(response);
    return {
      status: Number(response.statusCode),
      body: answer.startsWith('{') ? JSON.parse(answer) : answer,
    };
  };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if (server.exitCode !== null || etcd.exitCode !== null) break;
      if (await holds().catch(() => false)) return;
      await sleep(100);
    }
    throw new Error(`${what}: ${readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').slice(-2000)}`);
  };
  const stop = async () => {
    for (const process of [server, etcd]) {
      const ended = process.exitCode === null ? once(process, 'exit') : undefined;
      process.kill();
      await ended;
    }
    rmSync(folder, { recursive: true });
  };

  try {
    await until('the API server is not ready', async () => (await ask('/readyz')).status === 200);
    const definitions = JSON.parse(
      readFileSync(join(schemasFolder(), `v${version}`, 'definitions.json'), 'utf8'),
    ) as { metadata: { name: string } }[];
    const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const definition of definitions) {
      const { status, body } = await ask(collection, definition);
      if (status !== 201) throw new Error(`${definition.metadata.name}: ${JSON.stringify(body)}`);
      await until(`${definition.metadata.name} is not established`, async () =>
        ((await ask(`${collection}/${definition.metadata.name}`)).body.status.conditions ?? []).some(
          ({ type, status: holds }: { type: string; status: string }) =>
            type === 'Established' && holds === 'True',
        ),
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const kubeconfig = file(
    'kubeconfig',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'own', cluster: { server: `https://127.0.0.1:${secure}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'admin', user: { token: TOKEN } }],
      contexts: [{ name: 'own', context: { cluster: 'own', user: 'admin' } }],
      'current-context': 'own',
    }),
  );
  return { kubeconfig, ask, stop };
};
