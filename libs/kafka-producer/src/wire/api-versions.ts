/** Versions that a broker supports, by API key. */
export type ApiVersions = Readonly<Record<number, { minVersion: number; maxVersion: number }>>;

interface Api {
  readonly key: number;
  /** versions that this client writes and reads */
  readonly oldest: number;
  readonly newest: number;
}

/**
 * The requests of this client. The oldest version of each is the first that does what is needed of it; the newest is the
 * last before the protocol's flexible encoding, the last that kafkajs knows, or the first with leader epochs (KIP-320).
 * Azure Event Hubs has no newer Metadata than 5, and no newer Fetch than 6.
 */
export const APIS = {
  /** 3: record batches of format 2 (KIP-98) */
  Produce: { key: 0, oldest: 3, newest: 7 },
  /** 9: leader epochs; 10: topics with `compression.type=zstd` (KIP-110) */
  Fetch: { key: 1, oldest: 4, newest: 11 },
  /** 1: one offset for a time (KIP-79); 4: leader epochs */
  ListOffsets: { key: 2, oldest: 1, newest: 4 },
  /** 4: does not create the topic that it asks for (KIP-4); 7: leader epochs */
  Metadata: { key: 3, oldest: 4, newest: 7 },
  SaslHandshake: { key: 17, oldest: 0, newest: 1 },
  CreateTopics: { key: 19, oldest: 0, newest: 3 },
  InitProducerId: { key: 22, oldest: 0, newest: 1 },
  DescribeConfigs: { key: 32, oldest: 0, newest: 2 },
  SaslAuthenticate: { key: 36, oldest: 0, newest: 1 },
  /** 1: times of the voters (KIP-836); the one request in the flexible encoding */
  DescribeQuorum: { key: 55, oldest: 1, newest: 1 },
} as const satisfies Record<string, Api>;

export type ApiName = keyof typeof APIS;

/** Without these nothing can be written. */
const NEEDED: readonly ApiName[] = ['Produce', 'Metadata', 'InitProducerId'];

/** The broker and this client have no version of a request in common. */
export class UnsupportedBroker extends Error {
  override readonly name = 'UnsupportedBroker';
}

const rangeOf = (oldest: number, newest: number): string =>
  oldest === newest ? `version ${oldest}` : `versions ${oldest} to ${newest}`;

/**
 * The newest version of a request that both sides support.
 * @param broker its name, for the error
 * @throws UnsupportedBroker
 */
export const versionOf = (api: ApiName, versions: ApiVersions, broker: string): number => {
  const { key, oldest, newest } = APIS[api];
  const spoken = versions[key];
  if (!spoken) throw new UnsupportedBroker(`${broker} does not support ${api} requests`);
  const version = Math.min(newest, spoken.maxVersion);
  if (version < Math.max(oldest, spoken.minVersion)) {
    const theirs = rangeOf(spoken.minVersion, spoken.maxVersion);
    throw new UnsupportedBroker(
      `${broker} supports ${theirs} of ${api} requests, this client ${rangeOf(oldest, newest)}`,
    );
  }
  return version;
};

/**
 * Checks at the beginning of a connection that records can be written on it.
 * @throws UnsupportedBroker
 */
export const checkVersions = (versions: ApiVersions, broker: string): void => {
  for (const api of NEEDED) versionOf(api, versions, broker);
};
