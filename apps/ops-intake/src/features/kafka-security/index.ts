import { ConfigError, currentSecret } from '@workspace/service-process';
import { option } from '../../extension-points.ts';
import { connectionOf } from './connection.ts';
import { settings } from './settings.ts';
import { violationsOf } from './violations.ts';

/** TLS and login to Kafka. */
export const kafkaSecurity = option({
  name: 'kafka-security',
  settings,
  violations: violationsOf,
  connection: (config) =>
    connectionOf(config, (variable) => currentSecret(config, variable)).catch(({ message }: Error) => {
      throw new ConfigError([message]);
    }),
  open: ({ KAFKA_SSL: withTls }) => (withTls ? { topic: { protocol: 'kafka-secure' } } : undefined),
});
