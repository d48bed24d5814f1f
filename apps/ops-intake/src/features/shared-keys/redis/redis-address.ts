/** Where the servers of a key store are, and how to log in. */
export interface RedisAddress {
  /** `sentinel`: the nodes are Sentinels, which know the master. `cluster`: some nodes of a Cluster. */
  readonly mode: 'single' | 'sentinel' | 'cluster';
  readonly nodes: readonly RedisNode[];
  /** what the Sentinels call the master */
  readonly masterName: string;
  readonly login: RedisLogin;
  /** to the Sentinels */
  readonly sentinelLogin: RedisLogin;
  readonly database: number;
  readonly tls: boolean;
}

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

const PARTS = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/?(.*)$/;
const PORTS = { single: 6_379, sentinel: 26_379, cluster: 6_379 };

const loginOf = (username: string | null | undefined, password: string | null | undefined): RedisLogin => ({
  ...(username && { username: decodeURIComponent(username) }),
  ...(password && { password: decodeURIComponent(password) }),
});

/**
 * Reads `redis://user:password@host:6379/0`, `redis+sentinel://user:password@host:26379,host:26379/name/0` and
 * `redis+cluster://user:password@host:6379,host:6379`, as other clients do; `rediss` is over TLS, to the Sentinels too. The login to
 * the Sentinels is in `?sentinel_username=…&sentinel_password=…`.
 *
 * @throws TypeError when it is none of them
 */
export const parseRedisUrl = (url: string): RedisAddress => {
  const [, protocol, mode = 'single', user = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  if (protocol === undefined) throw new TypeError('not a URL of Redis');
  const nodes = hosts.split(',').map((host) => {
    const { hostname, port } = new URL(`redis://${host}`);
    return {
      host: hostname.replace(/^\[|\]$/g, '') || 'localhost',
      port: Number(port || PORTS[mode as RedisAddress['mode']]),
    };
  });
  const [path = '', query = ''] = rest.split('?');
  const names = path.split('/');
  const masterName = mode === 'sentinel' ? decodeURIComponent(names.shift() ?? '') : '';
  const parameters = new URLSearchParams(query);
  const [username, ...password] = user.split(':');
  return {
    mode: mode as RedisAddress['mode'],
    nodes,
    masterName,
    login: loginOf(username, password.join(':')),
    sentinelLogin: loginOf(parameters.get('sentinel_username'), parameters.get('sentinel_password')),
    database: Number(names[0] ?? 0),
    tls: protocol === 'rediss',
  };
};
