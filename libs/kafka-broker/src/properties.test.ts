import { nodeSettings, propertiesText } from './properties.ts';

it('rejects a node that is not a controller', () => {
  const layout = { id: 2, listeners: [], controllers: [{ id: 1, port: 20_004 }], dataFolder: '/data' };
  expect(() => nodeSettings(layout)).toThrow('node 2 is not among the controllers');
});

it('writes one escaped line per setting', () => {
  expect(propertiesText({ a: '1', b: 'C:\\data' })).toBe('a=1\nb=C:\\\\data\n');
});
