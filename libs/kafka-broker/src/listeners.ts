import type { Certificate } from './certificate.ts';
import type { Listener } from './properties.ts';

/** A user that the SASL listeners accept. */
export interface Credentials {
  username: string;
  password: string;
}

/** The options of a broker's listeners, known before its ports are chosen. */
export interface ListenerOptions {
  /** The port that the extra listener VIA advertises: that of a proxy. */
  viaAdvertisedPort?: number | readonly number[] | undefined;
  sasl?: Credentials | undefined;
  tls?: Certificate | undefined;
}

/** Names of the listeners a broker needs; PLAINTEXT is always there. */
export const listenerNames = ({
  viaAdvertisedPort,
  sasl,
  tls,
}: Pick<ListenerOptions, 'viaAdvertisedPort'> & { [K in 'sasl' | 'tls']?: unknown }): string[] => {
  const names = ['PLAINTEXT'];
  if (typeof viaAdvertisedPort === 'number') names.push('VIA');
  else viaAdvertisedPort?.forEach((_, index) => names.push(`VIA_${index + 1}`));
  if (sasl) names.push('SASL');
  if (tls) names.push('TLS');
  if (sasl && tls) names.push('SASL_TLS');
  return names;
};

/** The listeners with all their settings. `ports` are in the order of `listenerNames`. */
export const listeners = (options: ListenerOptions, ports: number[]): Listener[] =>
  listenerNames(options).map((name, index) => {
    const port = ports[index]!;
    const sasl = options.sasl ? saslSettings(options.sasl) : {};
    const tls = options.tls ? tlsSettings(options.tls) : {};
    // They follow PLAINTEXT.
    if (name.startsWith('VIA')) {
      const advertisedPort = [options.viaAdvertisedPort!].flat()[index - 1]!;
      return { name, protocol: 'PLAINTEXT', port, advertisedPort };
    }
    if (name === 'SASL') return { name, protocol: 'SASL_PLAINTEXT', port, settings: sasl };
    if (name === 'TLS') return { name, protocol: 'SSL', port, settings: tls };
    if (name === 'SASL_TLS') return { name, protocol: 'SASL_SSL', port, settings: { ...sasl, ...tls } };
    return { name, protocol: 'PLAINTEXT', port };
  });

const tlsSettings = ({ keystore, password }: Certificate): Record<string, string> => ({
  'ssl.keystore.type': 'PKCS12',
  'ssl.keystore.location': keystore,
  'ssl.keystore.password': password,
});

/** PLAIN users stand in the settings; SCRAM users are written into the metadata when the folder is formatted. */
const saslSettings = ({ username, password }: Credentials): Record<string, string> => {
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  return {
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
    'scram-sha-256.sasl.jaas.config': scram,
    'scram-sha-512.sasl.jaas.config': scram,
  };
};

/** Arguments by which Kafka's StorageTool creates the same user for both SCRAM mechanisms. */
export const scramArguments = ({ username, password }: Credentials): string[] =>
  ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
