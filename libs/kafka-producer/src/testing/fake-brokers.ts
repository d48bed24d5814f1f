import type { ApiName } from '../wire/api-versions.ts';
import { APIS } from '../wire/api-versions.ts';
import { fakeAnswers, WRITTEN } from './fake-answers.ts';
import type { BrokerAddress } from '../wire/broker-connection.ts';
import type { FakeBrokers } from './broker-state.ts';
import { createFakeTopic } from './fake-topic.ts';
import { int16, int32, list, Reader } from './protocol-fields.ts';

const API_VERSIONS = 18;

/** @param addresses of the brokers by node, which count from 1; may change */
export const createFakeBrokers = (addresses: () => readonly BrokerAddress[]): FakeBrokers => {
  const nameOf = (key: number): ApiName =>
    (Object.keys(APIS) as ApiName[]).find((name) => APIS[name].key === key)!;

  const cluster: FakeBrokers = {
    topic: undefined,
    requests: [],
    versions: WRITTEN,
    errors: {},
    withheld: [],
    silent: new Set(),
    silentNodes: new Set(),
    cut: new Set(),
    password: undefined,
    sessionLifetimeMs: 0,
    time: Date.now,
    get controllerId() {
      return addresses().length;
    },
    createTopic: (partitions, settings = {}) =>
      (cluster.topic = createFakeTopic(
        addresses().map((_, at) => at + 1),
        partitions,
        settings,
      )),
    answer: (node, frame, throttleMs = 0) => {
      const key = frame.readInt16BE(0);
      const version = frame.readInt16BE(2);
      const id = frame.subarray(4, 8);
      const framed = (bytes: Buffer): Buffer => Buffer.concat([int32(4 + bytes.length), id, bytes]);
      if (key === API_VERSIONS) {
        const spoken = Object.entries(cluster.versions).map(([api, { minVersion, maxVersion }]) =>
          Buffer.concat([int16(Number(api)), int16(minVersion), int16(maxVersion)]),
        );
        return framed(Buffer.concat([int16(0), list(spoken)]));
      }
      const api = nameOf(key);
      cluster.requests.push({ node, api, version });
      if (cluster.cut.has(api)) return 'cut';
      if (cluster.silent.has(api) || cluster.silentNodes.has(node)) return undefined;
      const body = new Reader(frame.subarray(8));
      body.text();
      const answered = answers[api](body, node, version, throttleMs);
      return answered instanceof Promise ? answered.then(framed) : framed(answered);
    },
  };
  const answers = fakeAnswers(cluster, addresses);
  return cluster;
};
