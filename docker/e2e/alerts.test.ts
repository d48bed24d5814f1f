import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@workspace/testing';
import { parse } from 'yaml';

interface Alerts {
  groups: { name: string; rules: { alert?: string }[] }[];
}

const answers = (app: string, status: number, route: string) =>
  `http_request_duration_seconds_count{job="${app}",route="${route}",status="${status}"}`;

const allUp = Object.fromEntries(
  ['release-web', 'ops-intake', 'ip-locate'].map((job) => [`up{job="${job}"}`, '1x20']),
);
const { ['up{job="ops-intake"}']: _, ...othersUp } = allUp;
const up = 'up{job="release-web"}';
/** A process that Prometheus scrapes from minute 4 on, and that started 40 seconds before. */
const justStarted = (job: string) => ({
  [`up{job="${job}"}`]: '_x4 1x30',
  [`process_start_time_seconds{job="${job}"}`]: '_x4 200x30',
});
const replicas = (...values: string[]) =>
  Object.fromEntries(values.map((value, index) => [`up{job="ops-intake",instance="${index}"}`, value]));
const started = (times: string, instance = '0') => ({
  [`process_start_time_seconds{job="ip-locate",instance="${instance}"}`]: times,
});
const keyStore = (used: number) => ({
  'operations_idempotency_store_used_bytes{job="ops-intake"}': `${used}x30`,
  'operations_idempotency_store_capacity_bytes{job="ops-intake"}': '100x30',
});

const failed = (cause: string) => `operations_submissions_failed_total{job="ops-intake",cause="${cause}"}`;
const accepted = 'operations_submissions_accepted_total{job="ops-intake"}';
const noneFailed = { [failed('kafka')]: '0x30' };
/** Every submission fails, although the probe of Kafka does not. */
const allFailed = (cause: string) => ({
  [failed(cause)]: '0 0 0+10x30',
  [accepted]: '0+10x2 20x30',
  [answers('ops-intake', 202, '/operations')]: '0+10x2 20x30',
  [answers('ops-intake', 503, '/operations')]: '0 0 0+10x30',
  'operations_kafka_up{job="ops-intake"}': '1x33',
  'operations_idempotency_store_up{job="ops-intake"}': '1x33',
});

const probed = (metric: string) => `${metric}{job="probe",instance="http://ip-locate.localhost:8080/health"}`;
const disk = (what: string, type: string) =>
  `node_filesystem_${what}_bytes{job="node",mountpoint="/",fstype="${type}"}`;

/** What a minute-by-minute series does (promtool's notation), and whether the alert is on at the minute then. */
const CASES: [alert: string, series: Record<string, string>, minute: number, fires: boolean][] = [
  ['ServiceDown', { ...allUp, 'up{job="ip-locate"}': '1 1 0x10' }, 3, false],
  ['ServiceDown', { ...allUp, 'up{job="ip-locate"}': '1 1 0x10' }, 6, true],
  ['ServiceDown', { ...allUp, 'up{job="another"}': '0x10' }, 6, false],
  // A target that is no longer there at all.
  ['ServiceDown', { ...allUp, 'up{job="ip-locate"}': '1 1 _x10' }, 12, true],
  // One of three is stuck: the others answer, and ReplicasMissing is on.
  ['ServiceDown', { ...othersUp, ...replicas('1x20', '1x20', '1 1 0x18') }, 10, false],
  ['ServiceDown', { ...othersUp, ...replicas('1 0x19', '1 1 0x18', '1 1 _x18') }, 10, true],
  // Of three containers, one is stopped.
  ['ReplicasMissing', replicas('1x20', '1x20', '1x20'), 15, false],
  ['ReplicasMissing', replicas('1x20', '1x20', '1 1 0x18'), 4, false],
  ['ReplicasMissing', replicas('1x20', '1x20', '1 1 0x18'), 10, true],
  // One is removed.
  ['ReplicasMissing', replicas('1x20', '1x20', '1 1 _x18'), 15, false],
  // Started again and again, and up most of the time.
  ['RestartsOften', started('100x3 300x2 420x2 550x20'), 12, true],
  ['RestartsOften', started('100x3 300x2 420x2 550x20'), 24, false],
  ['RestartsOften', started('100x3 300x2 420x20'), 12, false],
  // An upgrade.
  [
    'RestartsOften',
    { ...started('100x3 300x20', 'a'), ...started('100x4 310x20', 'b'), ...started('100x5 320x20', 'c') },
    12,
    false,
  ],
  // A restart.
  ['ReplicasMissing', replicas('1x20', '1x20', '1 1 0 0 1x18'), 10, false],
  ['KeyStoreUnavailable', { 'operations_idempotency_store_up{job="ops-intake"}': '1 0x9' }, 5, true],
  ['KeyStoreUnavailable', { 'operations_idempotency_store_up{job="ops-intake"}': '1x9' }, 5, false],
  ['KeyStoreFillingUp', keyStore(85), 20, true],
  ['KeyStoreFillingUp', keyStore(75), 20, false],
  ['KeysForgotten', { 'operations_idempotency_store_evictions{job="ops-intake"}': '7x5 9x5' }, 4, false],
  ['KeysForgotten', { 'operations_idempotency_store_evictions{job="ops-intake"}': '7x5 9x5' }, 8, true],
  // A service that has just been restarted counts from 0.
  ['KeysForgotten', { 'operations_idempotency_store_evictions{job="ops-intake"}': '7x5 0x5' }, 8, false],
  ['KeysLost', { 'operations_idempotency_store_losses_total{job="ops-intake"}': '0x5 1x30' }, 4, false],
  ['KeysLost', { 'operations_idempotency_store_losses_total{job="ops-intake"}': '0x5 1x30' }, 7, true],
  // Long ago, or counted before a restart.
  ['KeysLost', { 'operations_idempotency_store_losses_total{job="ops-intake"}': '0x5 1x30' }, 30, false],
  ['KeysLost', { 'operations_idempotency_store_losses_total{job="ops-intake"}': '1x5 0x5' }, 8, false],
  [
    'AcknowledgedRecordsLost',
    { 'operations_kafka_acknowledged_lost_total{job="ops-intake"}': '0x5 9x30' },
    4,
    false,
  ],
  [
    'AcknowledgedRecordsLost',
    { 'operations_kafka_acknowledged_lost_total{job="ops-intake"}': '0x5 9x30' },
    7,
    true,
  ],
  [
    'RejectedSubmissionsLost',
    { 'operations_rejected_records_total{job="ops-intake",outcome="dropped"}': '0x5 3x30' },
    8,
    true,
  ],
  [
    'RejectedSubmissionsLost',
    { 'operations_rejected_records_total{job="ops-intake",outcome="written"}': '0+9x30' },
    8,
    false,
  ],
  ['TokensRejected', { 'operations_tokens_rejected{job="ops-intake"}': '1x20' }, 15, true],
  ['TokensRejected', { 'operations_tokens_rejected{job="ops-intake"}': '1x5 0x20' }, 15, false],
  ['KafkaSettingsWeak', { 'operations_kafka_weak_settings{job="ops-intake"}': '0x5 2x30' }, 25, true],
  ['KafkaSettingsWeak', { 'operations_kafka_weak_settings{job="ops-intake"}': '0x5 2x5 0x30' }, 25, false],
  ['ClockDiffers', { 'operations_kafka_clock_difference_seconds{job="ops-intake"}': '0x5 -3x30' }, 25, true],
  ['ClockDiffers', { 'operations_kafka_clock_difference_seconds{job="ops-intake"}': '0.5x40' }, 35, false],
  // A series begins with its first answer.
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '_x14 1x30' }, 13, false],
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '_x14 1x30' }, 14, true],
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '_x14 1x30' }, 23, true],
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '_x14 1x30' }, 26, false],
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '1x19 2x5' }, 19, false],
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '1x19 2x5' }, 21, true],
  [
    'InternalErrors',
    {
      [up]: '1x60',
      [answers('release-web', 500, '/')]: '1x30',
      [answers('release-web', 500, '/feed')]: '_x19 1x10',
    },
    21,
    true,
  ],
  // The first answer of a process that has just started came before its first scrape.
  [
    'InternalErrors',
    { ...justStarted('release-web'), [answers('release-web', 500, '/')]: '_x4 1x30' },
    5,
    true,
  ],
  // What was counted before a gap in the scrapes, or before Prometheus was installed, is not new.
  [
    'InternalErrors',
    { [up]: '1x5 _x20 1x30', [answers('release-web', 500, '/')]: '3x5 _x20 3x30' },
    28,
    false,
  ],
  [
    'InternalErrors',
    { [up]: '1x5 0x20 1x30', [answers('release-web', 500, '/')]: '3x5 _x20 3x30' },
    28,
    false,
  ],
  ['InternalErrors', { [up]: '1x30', [answers('release-web', 500, '/')]: '3x30' }, 5, false],
  // The series of a process that was started again begins anew, too.
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '3x5 _x30 1x30' }, 35, false],
  ['InternalErrors', { [up]: '1x60', [answers('release-web', 500, '/')]: '3x5 _x30 1x30' }, 37, true],
  ['InternalErrors', { [answers('ops-intake', 503, '/operations')]: '0+9x20' }, 20, false],
  // One instance of two that can write is enough.
  ['KafkaUnavailable', { 'operations_kafka_up{job="ops-intake",pod="a"}': '0x9' }, 5, true],
  [
    'KafkaUnavailable',
    {
      'operations_kafka_up{job="ops-intake",pod="a"}': '0x9',
      'operations_kafka_up{job="ops-intake",pod="b"}': '1x9',
    },
    5,
    false,
  ],
  // What clients get has alerts by its cause, each with the page of that cause, and never that of too much load.
  ...(['kafka', 'search', 'clock', 'key-store'] as const).flatMap((cause): typeof CASES => [
    ['KafkaUnavailable', allFailed(cause), 6, cause === 'kafka' || cause === 'search'],
    ['ClockStopsSubmissions', allFailed(cause), 6, cause === 'clock'],
    ['KeyStoreUnavailable', allFailed(cause), 6, cause === 'key-store'],
    ['SubmissionsRejected', allFailed(cause), 15, false],
    // Those that wait for the cause fill the queue, so that more are rejected than fail.
    [
      'SubmissionsRejected',
      { ...allFailed(cause), [answers('ops-intake', 503, '/operations')]: '0 0 0+90x30' },
      15,
      false,
    ],
  ]),
  // A leader moves: some of a minute's submissions fail.
  [
    'KafkaUnavailable',
    {
      [failed('kafka')]: '0x5 10x20',
      [accepted]: '0+60x25',
      'operations_kafka_up{job="ops-intake"}': '1x25',
    },
    8,
    false,
  ],
  // One broker of three is down: longer than a restart takes.
  [
    'KafkaUnderReplicated',
    { 'operations_kafka_under_replicated_partitions{job="ops-intake"}': '0 2x20' },
    8,
    true,
  ],
  [
    'KafkaUnderReplicated',
    { 'operations_kafka_under_replicated_partitions{job="ops-intake"}': '0 2x3 0x20' },
    12,
    false,
  ],
  // An instance that has not seen the topic yet does not hide what another one sees.
  [
    'KafkaUnderReplicated',
    {
      'operations_kafka_under_replicated_partitions{job="ops-intake",pod="a"}':
        'NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN',
      'operations_kafka_under_replicated_partitions{job="ops-intake",pod="b"}': '2x20',
    },
    8,
    true,
  ],
  [
    'SubmissionsUnknown',
    { 'operations_records_total{job="ops-intake",outcome="unknown"}': '0x3 2x9' },
    6,
    true,
  ],
  // Unknown outcomes before an instance was scraped for the first time.
  [
    'SubmissionsUnknown',
    {
      ...justStarted('ops-intake'),
      'operations_records_total{job="ops-intake",outcome="unknown"}': '_x4 2x20',
    },
    5,
    true,
  ],
  [
    'SubmissionsUnknown',
    {
      ...justStarted('ops-intake'),
      'operations_records_total{job="ops-intake",outcome="unknown"}': '_x4 0x20',
    },
    5,
    false,
  ],
  // Before a gap in the scrapes.
  [
    'SubmissionsUnknown',
    {
      'up{job="ops-intake"}': '1x5 _x20 1x30',
      'operations_records_total{job="ops-intake",outcome="unknown"}': '2x5 _x20 2x30',
    },
    28,
    false,
  ],
  [
    'SubmissionsUnknown',
    { 'operations_records_total{job="ops-intake",outcome="acknowledged"}': '0+9x9' },
    6,
    false,
  ],
  [
    'SubmissionsRejected',
    {
      [answers('ops-intake', 202, '/operations')]: '0+90x20',
      [answers('ops-intake', 503, '/operations')]: '0+10x20',
      ...noneFailed,
      'operations_kafka_up{job="ops-intake"}': '1x20',
    },
    15,
    true,
  ],
  // Every submission, from the first one on.
  [
    'SubmissionsRejected',
    {
      [answers('ops-intake', 503, '/operations')]: '_x4 5+10x20',
      ...noneFailed,
      'operations_kafka_up{job="ops-intake"}': '1x30',
    },
    15,
    true,
  ],
  [
    'SubmissionsRejected',
    {
      [answers('ops-intake', 202, '/operations')]: '0+90x20',
      [answers('ops-intake', 503, '/operations')]: '0+1x20',
      ...noneFailed,
      'operations_kafka_up{job="ops-intake"}': '1x20',
    },
    15,
    false,
  ],
  // The clock of these hours begins in 1970: data of 46 days before is built at a negative time.
  ...(
    [
      [46, 'configured', true],
      [44, 'configured', false],
      // Nothing renews it.
      [460, 'bundled', false],
    ] as const
  ).flatMap(([days, source, fires]): typeof CASES => {
    const database = `ip_locate_database_build_timestamp_seconds{job="ip-locate",database="city",source="${source}"}`;
    const release = `release_web_data_revision_timestamp_seconds{job="release-web",source="${source}"}`;
    return [
      ['LocationDataOld', { [database]: `${-days * 86_400}x90` }, 80, fires],
      // It may be 15 days younger.
      ['ReleaseDataOld', { [release]: `${(15 - days) * 86_400}x90` }, 80, fires],
    ];
  }),
  [
    'LocationDataDatedAhead',
    { 'ip_locate_database_build_timestamp_seconds{job="ip-locate",database="city"}': `${2 * 86_400}x90` },
    80,
    true,
  ],
  [
    'LocationDataDatedAhead',
    { 'ip_locate_database_build_timestamp_seconds{job="ip-locate",database="city"}': `${86_400}x90` },
    80,
    false,
  ],
  [
    'LocationDataRejected',
    { 'ip_locate_database_load_failed{job="ip-locate",database="city"}': '1x20' },
    15,
    true,
  ],
  [
    'LocationDataRejected',
    { 'ip_locate_database_load_failed{job="ip-locate",database="city"}': '1x5 0x20' },
    15,
    false,
  ],
  [
    'LocationDataRejected',
    { 'ip_locate_database_load_failed{job="ip-locate",database="rules"}': '1x20' },
    15,
    true,
  ],
  ...(
    [
      // The proxy does not answer.
      [0, 0, true],
      // 502 is its own, 503 a service's.
      [0, 502, true],
      [0, 503, false],
      [1, 200, false],
    ] as const
  ).map(([success, status, fires]): (typeof CASES)[number] => [
    'ServiceUnreachable',
    { [probed('probe_success')]: `${success}x9`, [probed('probe_http_status_code')]: `${status}x9` },
    5,
    fires,
  ]),
  ...(
    [
      [15, false, false],
      [13, true, false],
      [2, true, true],
      [-1, true, true],
    ] as const
  ).flatMap(([days, soon, now]): typeof CASES => {
    const series = { [probed('probe_ssl_earliest_cert_expiry')]: `${days * 86_400}x30` };
    return [
      ['CertificateExpiresSoon', series, 20, soon],
      ['CertificateExpires', series, 20, now],
    ];
  }),
  ...(
    [
      ['ext4', 20, false, false],
      ['xfs', 14, true, false],
      ['ext4', 4, true, true],
      ['tmpfs', 0, false, false],
    ] as const
  ).flatMap(([type, free, isLow, isFull]): typeof CASES => {
    const series = { [disk('avail', type)]: `${free}x30`, [disk('size', type)]: '100x30' };
    return [
      ['DiskFillingUp', series, 20, isLow],
      ['DiskAlmostFull', series, 20, isFull],
    ];
  }),
  ['ReleaseDataRejected', { 'release_web_data_violations{job="release-web"}': '0 3x9' }, 6, true],
  ['ReleaseDataRejected', { 'release_web_data_violations{job="release-web"}': '0x9' }, 6, false],
];

describeWith(['promtool'], 'the alerts, by promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const alerts = parse(readFileSync('helm/three-services/files/alerts.yaml', 'utf8')) as Alerts;
  const file = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const promtool = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  beforeAll(() => void file('alerts.json', alerts));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('pass promtool', () => {
    expect(
      promtool('check', 'rules', '--lint=all', '--lint-fatal', join(folder, 'alerts.json')),
    ).toMatchObject({ status: 0 });
  });

  it('are all tried here, on and off', () => {
    for (const { alert } of alerts.groups.flatMap(({ rules }) => rules)) {
      if (alert === undefined) continue;
      const tried = CASES.filter(([name]) => name === alert).map(([, , , fires]) => fires);
      expect({ alert, on: tried.includes(true), off: tried.includes(false) }).toEqual({
        alert,
        on: true,
        off: true,
      });
    }
  });

  it.each(CASES)('%s with %j is in minute %d: %s', (alert, series, minute, fires) => {
    const question = `count(ALERTS{alertname="${alert}",alertstate="firing"})`;
    const test = file('test.json', {
      rule_files: ['alerts.json'],
      tests: [
        {
          interval: '1m',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          promql_expr_test: [
            {
              expr: question,
              eval_time: `${minute}m`,
              exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
            },
          ],
        },
      ],
    });
    expect(promtool('test', 'rules', test)).toMatchObject({ status: 0 });
  });
});
