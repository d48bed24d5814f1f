import { type NodeLayout, nodeSettings, propertiesText } from './properties.ts';

const layout: NodeLayout = {
  id: 1,
  listeners: [
    { name: 'PLAINTEXT', protocol: 'PLAINTEXT', port: 20001 },
    { name: 'VIA', protocol: 'PLAINTEXT', port: 20002, advertisedPort: 20009 },
    { name: 'TLS', protocol: 'SSL', port: 20003, settings: { 'ssl.keystore.type': 'PKCS12' } },
  ],
  controllers: [{ id: 1, port: 20004 }],
  dataFolder: '/data',
};

describe('nodeSettings', () => {
  it('listens on every listener and the controller, and advertises the proxy for VIA', () => {
    expect(nodeSettings(layout)).toMatchObject({
      listeners:
        'PLAINTEXT://127.0.0.1:20001,VIA://127.0.0.1:20002,TLS://127.0.0.1:20003,CONTROLLER://127.0.0.1:20004',
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:20001,VIA://127.0.0.1:20009,TLS://127.0.0.1:20003',
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,VIA:PLAINTEXT,TLS:SSL,CONTROLLER:PLAINTEXT',
      'listener.name.tls.ssl.keystore.type': 'PKCS12',
      'controller.quorum.voters': '1@127.0.0.1:20004',
      'min.insync.replicas': '1',
      'default.replication.factor': '1',
    });
  });

  it('asks two of three replicas for an acknowledgement in a cluster of three', () => {
    const controllers = [1, 2, 3].map((id) => ({ id, port: 20010 + id }));
    expect(nodeSettings({ ...layout, controllers })).toMatchObject({
      'controller.quorum.voters': '1@127.0.0.1:20011,2@127.0.0.1:20012,3@127.0.0.1:20013',
      'min.insync.replicas': '2',
      'default.replication.factor': '3',
      'offsets.topic.replication.factor': '3',
    });
  });

  it('lets overrides win', () => {
    const overrides = { 'auto.create.topics.enable': 'true', 'max.message.bytes': '1000' };
    expect(nodeSettings({ ...layout, overrides })).toMatchObject(overrides);
  });

  it('rejects a node that is not a controller', () => {
    expect(() => nodeSettings({ ...layout, id: 2 })).toThrow('node 2 is not among the controllers');
  });
});

describe('propertiesText', () => {
  it('writes one escaped line per setting', () => {
    expect(propertiesText({ a: '1', b: 'C:\\data' })).toBe('a=1\nb=C:\\\\data\n');
  });
});
