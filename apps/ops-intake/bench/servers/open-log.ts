import { createLogger, type LogLevel } from '@workspace/logging';
import { systemClock } from '@workspace/service-process';
import { type KafkaLog, openKafkaLog } from '../../src/adapters/kafka/kafka-log.ts';
import { readSettings } from '../../src/config.ts';
import { kafkaSettings, logOptions } from '../../src/log-options.ts';

/** The log with its default settings, once it is connected. */
export const openLog = async (
  brokers = (process.env['KAFKA_BOOTSTRAP_SERVERS'] ?? '').split(','),
  topic = process.env['KAFKA_TOPIC'] as string,
  level: LogLevel = 'warn',
): Promise<KafkaLog> => {
  const config = readSettings([], { KAFKA_TOPIC: topic });
  const log = openKafkaLog({
    ...logOptions(config),
    settings: { ...kafkaSettings(config), brokers, clientId: 'bench' },
    probeIntervalMs: 100,
    now: systemClock,
    logger: createLogger({ name: 'bench', level }),
  });
  while (!log.status().connected) await new Promise((resolve) => setTimeout(resolve, 50));
  return log;
};
