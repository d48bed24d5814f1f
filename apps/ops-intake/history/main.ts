// nx history ops-intake: instances, brokers and networks fail, clients with keys continue, and Porcupine checks the history.
//   HISTORY_SECONDS  how long faults continue, 600 unless set
//   HISTORY_SEED     of the faults and the clients; the schedule of processes is the machine's
//   HISTORY_CLIENTS  24 unless set
//   HISTORY_STORE    lossy: the key store begins empty and is emptied; else it has kept every key for a day
import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '@workspace/kafka-broker';
import { clocksCanBeSet, freePorts } from '@workspace/testing';
import { startRedis } from '@workspace/testing/stores';
import { untilHealth } from '../e2e/support/health.ts';
import { seededRandom } from '@workspace/testing/seeded-random';
import { startClients } from './clients.ts';
import { faultsOf, faultsOfBrokers, faultsOfStore, startFaults } from './faults.ts';
import { createHistory } from './history.ts';
import { buildJudge } from './judge.ts';
import { openReplica } from './replica.ts';

const seconds = Number(process.env['HISTORY_SECONDS'] || 600);
const seed = Number(process.env['HISTORY_SEED'] || randomInt(2 ** 31));
const clientCount = Number(process.env['HISTORY_CLIENTS'] || 24);
const isLossy = process.env['HISTORY_STORE'] === 'lossy';
const TOPIC = 'operations';
const BROKERS = 3;

const random = seededRandom(seed);
const folder = mkdtempSync(join(tmpdir(), 'history-'));
const began = performance.now();
const say = (text: string): void => {
  const at = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`${at.padStart(6)} ${text}\n`);
};
say(
  `seed ${seed}, ${seconds} s, ${clientCount} clients${isLossy ? ', a key store that loses keys' : ''}; history and logs in ${folder}`,
);
if (!clocksCanBeSet()) say('no clock is set: that needs the Debian package faketime');

const judge = buildJudge(folder);
const env = { KAFKA_TOPIC: TOPIC, KAFKA_TOPIC_PARTITIONS: '3' };
const replicas = await Promise.all(
  ['a', 'b'].map(async (name) =>
    openReplica({
      name,
      brokerPorts: await freePorts(BROKERS),
      folder,
      hasOwnClock: name === 'b' && clocksCanBeSet(),
      env,
    }),
  ),
);
const cluster = await startCluster(
  Array.from({ length: BROKERS }, (_, broker) => ({
    viaAdvertisedPort: replicas.map(({ brokers }) => brokers[broker]!.port),
  })),
);
const redis = await startRedis();
// Without it, each key would be looked up in the topic before it is published: features/shared-keys/redis/scripts.ts.
if (!isLossy) await redis.command('HSET', 'ops-intake:store', 'since', String(Date.now() - 86_400_000));
const history = createHistory(join(folder, 'history.jsonl'));
let isTrue = false;
try {
  for (const [number, replica] of replicas.entries()) {
    replica.store.target = Number(new URL(redis.url).port);
    for (const [broker, relay] of replica.brokers.entries()) {
      relay.target = cluster.brokers[broker]!.ports[`VIA_${number + 1}`]!;
    }
    await replica.start();
    await untilHealth(replica.url, 200);
  }
  say('healthy');
  const clients = startClients(replicas, history, random, clientCount);
  const faults = startFaults(
    [...replicas.map(faultsOf), faultsOfBrokers(cluster.brokers), faultsOfStore(redis, isLossy)],
    random,
    say,
  );
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  await faults.stop();
  say('no more faults');
  await clients.stop();
  for (const replica of replicas) await replica.end();
  say('ended');
  await cluster.brokers[0]!.consumeEach(TOPIC, history.found);

  const counted = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .sort()
      .map(([what, count]) => `  ${String(count).padStart(7)} ${what}\n`)
      .join('');
  process.stdout.write(`\nfaults\n${counted(faults.counts)}\nanswers\n${counted(history.answers)}\n`);
  process.stdout.write(`${history.acknowledged.size} keys acknowledged\n`);
  const { isLegal, report } = await judge(join(folder, 'history.jsonl'));
  process.stdout.write(report);
  isTrue = isLegal && history.acknowledged.size > 0;
} finally {
  for (const replica of replicas) await replica.close();
  await redis.stop();
  await cluster.stop();
}
process.exit(isTrue ? 0 : 1);
