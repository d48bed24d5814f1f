import { eventually, freePorts } from '@workspace/testing';
import { type NameServer, startNameServer } from './name-server.ts';
import { type Proxy, type ProxyEnvironment, startProxy } from './proxy.ts';
import type { App } from './service.ts';

const NAMES: readonly App[] = ['release-web', 'ops-intake', 'ip-locate'];

/** A proxy and a name server, as compose puts them beside the services. */
export interface ProxiedServices {
  readonly proxy: Proxy;
  readonly names: NameServer;
  /** the port each service listens on, whatever the address */
  readonly ports: Readonly<Record<App, number>>;
  /** the port of HTTPS, when it is switched on */
  readonly httpsPort: number;
  close(): Promise<void>;
}

/** Starts them with the settings of compose.yaml, some of them changed. */
export const startProxiedServices = async (
  changes: Partial<ProxyEnvironment> = {},
  parent?: string,
): Promise<ProxiedServices> => {
  const [http, https, kafka, releaseWeb, opsIntake, ipLocate] = (await freePorts(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const names = await startNameServer();
  // As containers that run have one.
  for (const name of NAMES) names.set(name, ['127.0.0.1']);
  /** nginx resolves the names as soon as it has started; until then it knows no instance. */
  const withNames = async <Started>(start: () => Promise<Started>): Promise<Started> => {
    names.asked.clear();
    const started = await start();
    await eventually('names', () => NAMES.every((name) => names.asked.has(name)) || undefined);
    return started;
  };
  const environment = {
    DOMAIN: 'localhost',
    TLS: 'off',
    HTTP_PORT: String(http),
    HTTPS_PORT: String(https),
    PUBLIC_HTTPS_PORT: String(https),
    CERTIFICATES: '/nowhere',
    TRUSTED_PROXY: 'unix:',
    NO_IPV6: '#',
    PUBLISHED_ON: '127.0.0.1',
    GATEWAY: '127.0.0.1',
    GATEWAY_IPV6: '::1',
    LOCAL_NETWORK: '192.168.65.0/24',
    KAFKA_PORT: String(kafka),
    OPS_INTAKE_TOKENS: '',
    ACCESS_LOG: 'access.log',
    NGINX_LOCAL_RESOLVERS: names.address,
    RELEASE_WEB: `release-web:${releaseWeb}`,
    OPS_INTAKE: `ops-intake:${opsIntake}`,
    IP_LOCATE: `ip-locate:${ipLocate}`,
    ...changes,
  };
  const proxy = await withNames(() => startProxy(environment, parent));
  return {
    proxy: { ...proxy, restart: () => withNames(() => proxy.restart()) },
    names,
    ports: { 'release-web': releaseWeb, 'ops-intake': opsIntake, 'ip-locate': ipLocate },
    httpsPort: https,
    close: async () => {
      await proxy.stop();
      names.close();
    },
  };
};
