import {
  type KnownSettings,
  keptSince,
  readSettings,
  settingsFor,
  type TopicNeeds,
  weaknesses,
} from './topic-settings.ts';

const NEEDS: TopicNeeds = { recordAgeMs: 35_000, clockDifferenceMs: 1_000, keptMs: 3_600_000 };
const GOOD = {
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'CreateTime',
  'message.timestamp.before.max.ms': '35000',
  'message.timestamp.after.max.ms': '3600000',
  'retention.bytes': '-1',
  'retention.ms': '604800000',
  'unclean.leader.election.enable': 'false',
};
const settings = (
  topic: Record<string, string> = {},
  broker: Record<string, string> = {},
): KnownSettings => ({
  topic: new Map(Object.entries({ ...GOOD, ...topic })),
  broker: new Map(Object.entries({ 'producer.id.expiration.ms': '86400000', ...broker })),
});

describe('settings of the topic', () => {
  it('weaken nothing when they are as they should be, or not known', () => {
    expect(weaknesses(settings(), NEEDS)).toEqual([]);
    expect(weaknesses(settings({ ...settingsFor(NEEDS), 'retention.ms': '-1' }), NEEDS)).toEqual([]);
    expect(weaknesses({ topic: undefined, broker: undefined }, NEEDS)).toEqual([]);
    const atTheLimit = { 'retention.ms': '3600000', 'message.timestamp.after.max.ms': '1000' };
    expect(weaknesses(settings(atTheLimit, { 'producer.id.expiration.ms': '35000' }), NEEDS)).toEqual([]);
  });

  it('are read from the topic, and from a broker where one is known', async () => {
    const asked: unknown[] = [];
    const cluster = {
      topicSettings: async (names: readonly string[]) => {
        asked.push([...names].sort());
        return new Map([['a', '1']]);
      },
      brokerSettings: async (node: number, names: readonly string[]) => {
        asked.push(node, names);
        throw new Error('not permitted');
      },
    };
    expect(await readSettings(cluster, 3)).toEqual({ topic: new Map([['a', '1']]), broker: undefined });
    const ofTopic = [...Object.keys(GOOD), 'min.insync.replicas'].sort();
    expect(asked).toEqual([ofTopic, 3, ['producer.id.expiration.ms']]);
    asked.length = 0;
    await readSettings(cluster, undefined);
    expect(asked).toEqual([ofTopic]);
  });

  it.each([
    ['cleanup.policy', 'compact', 'removes an acknowledged one'],
    ['cleanup.policy', 'compact,delete', 'set it to delete'],
    ['retention.ms', '3599999', 'set it to 3600000 or more'],
    ['message.timestamp.type', 'LogAppendTime', 'a second record of a key'],
    ['message.timestamp.before.max.ms', '35001', 'set it to 35000'],
    ['message.timestamp.after.max.ms', '999', 'whose clock is ahead are rejected'],
    ['unclean.leader.election.enable', 'true', 'they are lost'],
  ])('weaken a promise: %s=%s', (setting, value, effect) => {
    expect(weaknesses(settings({ [setting]: value }), NEEDS)).toEqual([
      { setting, reason: expect.stringMatching(`^${setting}=${value}: .*${effect}`) },
    ]);
  });

  it('weaken a promise where brokers are older than the setting, or forget batches too early', () => {
    const old = settings();
    expect(
      weaknesses(
        { ...old, topic: new Map([...old.topic!].filter(([name]) => !name.includes('before'))) },
        NEEDS,
      ),
    ).toMatchObject([{ setting: 'message.timestamp.before.max.ms', reason: expect.stringContaining('3.6') }]);
    expect(weaknesses(settings({}, { 'producer.id.expiration.ms': '34999' }), NEEDS)).toMatchObject([
      { setting: 'producer.id.expiration.ms', reason: expect.stringContaining('appends it twice') },
    ]);
  });

  it('say since when the topic has everything', () => {
    expect(keptSince(settings({ 'retention.ms': '400' }), 1_000)).toBe(600);
    expect(keptSince(settings({ 'retention.ms': '-1' }), 1_000)).toBe(-Infinity);
    for (const topic of [{ 'retention.bytes': '1000' }, { 'cleanup.policy': 'compact' }])
      expect(keptSince(settings(topic), 1_000)).toBeUndefined();
    const { topic } = settings();
    const withoutTime = new Map([...topic!].filter(([name]) => name !== 'retention.ms'));
    expect(keptSince({ topic: withoutTime, broker: undefined }, 1_000)).toBeUndefined();
    expect(keptSince({ topic: undefined, broker: undefined }, 1_000)).toBeUndefined();
  });
});
