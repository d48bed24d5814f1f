import { describeWithKafka } from '@workspace/kafka-broker';
import { badLine } from './rows/bad-line.ts';
import { bootWithoutBroker } from './rows/boot-without-broker.ts';
import { brokerFrozen } from './rows/broker-frozen.ts';
import { brokerKilled } from './rows/broker-killed.ts';
import { clusterSurvives } from './rows/cluster.ts';
import { connectionsCut } from './rows/connections-cut.ts';
import { decimals } from './rows/decimals.ts';
import { fuzz } from './rows/fuzz.ts';
import { type Ground, type Row, clearGround, layGround } from './rows/ground.ts';
import { oneKeyBrokerFrozen, shortMemory, storeKilled, storeRefusesWrites } from './rows/key-store.ts';
import { lateBytes } from './rows/late-bytes.ts';
import { oneKey } from './rows/one-key.ts';
import { overload } from './rows/overload.ts';
import { serviceKilled, serviceTerminated } from './rows/service-ended.ts';
import { topicTroubles } from './rows/topic-troubles.ts';
import { killServices } from './support/service.ts';
import { type TableRow, rowText, table } from './support/table.ts';

const rows: Row[] = [
  brokerKilled,
  brokerFrozen,
  connectionsCut,
  badLine,
  bootWithoutBroker,
  serviceTerminated,
  serviceKilled,
  overload,
  oneKey,
  topicTroubles,
  decimals,
  fuzz,
  clusterSurvives,
  storeKilled,
  storeRefusesWrites,
  oneKeyBrokerFrozen,
  lateBytes,
  shortMemory,
];

/** FAULTS=long runs the full counts (`nx faults ops-intake`); the short form is for every change. */
const long = process.env['FAULTS'] === 'long';

describeWithKafka(`the fault table, ${long ? 'long' : 'short'} form`, () => {
  jest.setTimeout(long ? 1_800_000 : 300_000);
  const findings: TableRow[] = [];
  let ground: Ground;
  beforeAll(async () => {
    ground = await layGround(long);
  });
  afterAll(async () => {
    process.stdout.write(`${table(findings)}\n`);
    await clearGround(ground);
  });

  afterEach(killServices);

  it.each(rows.map((row) => [row.id, row.fault, row] as const))('%s: %s', async (_id, _fault, row) => {
    const began = performance.now();
    const finding = await row.run(ground);
    const tableRow = { ...finding, row, took: performance.now() - began };
    findings.push(tableRow);
    // The long form takes half an hour: say each row when it is known, and all of them at the end.
    if (long) process.stdout.write(`${rowText(tableRow)}\n`);
    expect(finding.violations).toEqual([]);
    if (long) expect(finding.late ?? []).toEqual([]);
  });
});
