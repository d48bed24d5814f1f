import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import type { Address } from '@workspace/ip-addresses';
import type { HostName, HostNames } from '../../application/host-names.ts';

export interface ReverseDnsOptions {
  /** addresses of DNS servers, with ports where they are not 53; those of the system when left out */
  readonly servers?: readonly string[] | undefined;
  /** how long an answer waits for a name */
  readonly timeoutMs: number;
  /** is called with the result of each search that is not answered from memory */
  readonly onResult?: ((result: ReverseDnsResult) => void) | undefined;
}

/** `skipped`: too many queries were waiting for their answers. */
export type ReverseDnsResult = 'name' | 'no name' | 'failed' | 'skipped';

/** Queries that wait for an answer at one time. When DNS servers are dead, no more than so many answers wait for them. */
const MAX_QUERIES = 256;
/** A query continues after the answer that started it was sent, so that the next answer has the name. */
const QUERY = { timeout: 1_000, tries: 2, maxTimeout: 2_000 } as const;
/** About 200 bytes each. */
const MAX_NAMES = 10_000;
/** Node does not return the time to live of these records. */
const TTL_MS = { name: 3_600_000, 'no name': 300_000, failed: 10_000 } as const;
/** The owner of an address chooses its name, and DNS transports any bytes. */
const HOST_NAME = /^(?=.{1,253}$)[\w-]{1,63}(\.[\w-]{1,63})*$/;

/** Names from DNS servers (PTR records), the first where an address has several; kept in memory for an hour. */
export class ReverseDns implements HostNames {
  readonly #resolver = new Resolver(QUERY);
  readonly #options: ReverseDnsOptions;
  /** in objects, because undefined is a result, too */
  readonly #known = new LRUCache<string, { readonly name: HostName }>({ max: MAX_NAMES });
  readonly #queries = new Map<string, Promise<HostName>>();

  constructor(options: ReverseDnsOptions) {
    this.#options = options;
    if (options.servers) this.#resolver.setServers(options.servers);
  }

  find(address: Address): HostName | Promise<HostName> {
    const known = this.#known.get(address.text);
    if (known) return known.name;
    let query = this.#queries.get(address.text);
    if (!query) {
      if (this.#queries.size >= MAX_QUERIES) {
        this.#options.onResult?.('skipped');
        return undefined;
      }
      query = this.#query(address).finally(() => this.#queries.delete(address.text));
      this.#queries.set(address.text, query);
    }
    return within(query, this.#options.timeoutMs);
  }

  /** Gives up all queries. */
  close(): void {
    this.#resolver.cancel();
  }

  async #query(address: Address): Promise<HostName> {
    const [name, result] = await this.#resolver
      .resolvePtr(pointerName(address))
      .then(resultOf, resultOfError);
    this.#known.set(address.text, { name }, { ttl: TTL_MS[result] });
    this.#options.onResult?.(result);
    return name;
  }
}

type Result = [HostName, keyof typeof TTL_MS];

const resultOf = (names: readonly string[]): Result => {
  const name = names.find((one) => HOST_NAME.test(one));
  return name === undefined ? [null, 'no name'] : [name, 'name'];
};
const resultOfError = ({ code }: NodeJS.ErrnoException): Result =>
  code === NOTFOUND || code === NODATA ? [null, 'no name'] : [undefined, 'failed'];

/** `4.3.2.1.in-addr.arpa` (RFC 1035, section 3.5), or the nibbles below `ip6.arpa` (RFC 3596, section 2.5) */
const pointerName = ({ family, bytes }: Address): string => {
  const octets = [...bytes];
  if (family === 4) return `${octets.reverse().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [octet >> 4, octet & 15]).reverse();
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`;
};

/** The name, or undefined when it takes longer. */
const within = (query: Promise<HostName>, milliseconds: number): Promise<HostName> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    void query.then((name) => {
      clearTimeout(timer);
      resolve(name);
    });
  });
