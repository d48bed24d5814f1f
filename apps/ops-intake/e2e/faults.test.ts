import { describeWithKafka } from '@workspace/kafka-broker';
import { badLine } from './scenarios/bad-line.ts';
import { bridgeUnderFaults } from './scenarios/bridge.ts';
import { brokerFrozen } from './scenarios/broker-frozen.ts';
import { brokerKilled } from './scenarios/broker-killed.ts';
import { brokerReturns } from './scenarios/broker-returns.ts';
import { clusterSurvives } from './scenarios/cluster.ts';
import { connectionsCut } from './scenarios/connections-cut.ts';
import { type TestBed, type FaultScenario, closeTestBed, openTestBed } from './scenarios/test-bed.ts';
import { oneKeyBrokerFrozen, storeKilled, storeRejectsWrites } from './scenarios/key-store.ts';
import { overload } from './scenarios/overload.ts';
import { registryDown } from './scenarios/registry-down.ts';
import { rejectedTopicTroubles } from './scenarios/rejected-topic.ts';
import { replicaCutOff, replicaPaused } from './scenarios/replicas.ts';
import { serviceKilled, serviceTerminated } from './scenarios/service-ended.ts';
import { numberedStreamCut, streamCut } from './scenarios/stream-cut.ts';
import { topicTroubles } from './scenarios/topic-troubles.ts';
import { killServices } from './support/service.ts';
import { type TableRow, rowText, table } from './support/table.ts';

const scenarios: FaultScenario[] = [
  brokerKilled,
  brokerFrozen,
  connectionsCut,
  badLine,
  serviceTerminated,
  serviceKilled,
  overload,
  topicTroubles,
  brokerReturns,
  clusterSurvives,
  storeKilled,
  storeRejectsWrites,
  oneKeyBrokerFrozen,
  replicaPaused,
  replicaCutOff,
  registryDown,
  streamCut,
  numberedStreamCut,
  rejectedTopicTroubles,
  bridgeUnderFaults,
];

/** FAULTS=long runs the full counts (`nx faults ops-intake`); the short form is for every change. */
const long = process.env['FAULTS'] === 'long';

describeWithKafka(`the fault table, ${long ? 'long' : 'short'} form`, () => {
  jest.setTimeout(long ? 1_800_000 : 300_000);
  const results: TableRow[] = [];
  let bed: TestBed;
  beforeAll(async () => {
    bed = await openTestBed(long);
  });
  afterAll(async () => {
    process.stdout.write(`${table(results)}\n`);
    await closeTestBed(bed);
  });

  afterEach(killServices);

  it.each(scenarios.map((scenario) => [scenario.id, scenario.fault, scenario] as const))(
    '%s: %s',
    async (_id, _fault, scenario) => {
      const began = performance.now();
      const result = await scenario.run(bed);
      const tableRow = { ...result, scenario, took: performance.now() - began };
      results.push(tableRow);
      // The long form takes half an hour: print each row when it is known, and all of them at the end.
      if (long) process.stdout.write(`${rowText(tableRow)}\n`);
      expect(result.violations).toEqual([]);
      if (long) expect(result.late ?? []).toEqual([]);
    },
  );
});
