import type { ApiName, ApiVersions } from '../wire/api-versions.ts';
import type { FakeTopic } from './fake-topic.ts';

export interface FakeRequest {
  readonly node: number;
  readonly api: string;
  readonly version: number;
}

/** What all brokers of a fake cluster have in common, without their connections. */
export interface FakeBrokers {
  topic: FakeTopic | undefined;
  /** every request except ApiVersions, in order of arrival */
  readonly requests: FakeRequest[];
  /** the versions that brokers report */
  versions: ApiVersions;
  /** error codes that the next requests of an API get instead of an answer; the first is used up first */
  readonly errors: Partial<Record<ApiName, number[]>>;
  /** milliseconds of a quota, which the next answers to Fetch give instead of records; the first is used up first */
  readonly withheld: number[];
  /** requests of these APIs get no answer */
  readonly silent: Set<ApiName>;
  /** nodes that answer nothing */
  readonly silentNodes: Set<number>;
  /** requests of these APIs end their connection, before they are carried out */
  readonly cut: Set<ApiName>;
  /** the SASL PLAIN password that brokers ask for */
  password: string | undefined;
  /** milliseconds until a login expires; 0: never */
  sessionLifetimeMs: number;
  readonly controllerId: number;
  /** milliseconds since 1970, as the brokers' clocks have it */
  time: () => number;
  createTopic(partitions: number, settings?: Record<string, string>): FakeTopic;
  /**
   * What a node answers to a frame without its length.
   * @param throttleMs for which a quota keeps the client from sending more, as the answers to Produce and Fetch say; that to
   *   Fetch then has nothing else
   * @returns the whole frame of the answer; undefined for none; `cut` to end the connection
   */
  answer(
    node: number,
    frame: Buffer,
    throttleMs?: number,
  ): Promise<Buffer | 'cut' | undefined> | Buffer | 'cut' | undefined;
}
