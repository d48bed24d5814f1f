import { nodeSettings, propertiesText } from './properties.ts';

it('rejects a node that is not a controller', () => {
  const layout = { id: 2, listeners: [], controllers: [{ id: 1, port: 20_004 }], dataFolder: '/data' };
  expect(() => nodeSettings(layout)).toThrow('node 2 is not among the controllers');
});

it.each([
  [1, '1', '1'],
  [2, '2', '1'],
  [3, '3', '2'],
  [4, '3', '2'],
])('of %i nodes keeps %s replicas, of which %s have to be in sync', (nodes, replicas, inSync) => {
  const controllers = Array.from({ length: nodes }, (_, at) => ({ id: at + 1, port: 20_004 + at }));
  expect(nodeSettings({ id: 1, listeners: [], controllers, dataFolder: '/data' })).toMatchObject({
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
  });
});

it('writes one escaped line per setting', () => {
  expect(propertiesText({ a: '1', b: 'C:\\data' })).toBe('a=1\nb=C:\\\\data\n');
});
