import { createLogger, type LogLevel } from '@workspace/logging';
import { systemClock } from '@workspace/service-process';
import { type KafkaLog, openKafkaLog } from '../../src/adapters/kafka/kafka-log.ts';

/** The log with its default settings, once it is connected. */
export const openLog = async (
  brokers = (process.env['KAFKA_BOOTSTRAP_SERVERS'] ?? '').split(','),
  topic = process.env['KAFKA_TOPIC'] as string,
  level: LogLevel = 'warn',
): Promise<KafkaLog> => {
  const log = openKafkaLog({
    settings: {
      brokers,
      clientId: 'bench',
      topic,
      connectionTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
      deliveryTimeoutMs: 30_000,
    },
    limits: { queueRecords: 10_000, queueBytes: 67_108_864, batchRecords: 500, batchBytes: 900_000 },
    search: { maxBytes: 134_217_728, timeoutMs: 3_000 },
    probeIntervalMs: 100,
    now: systemClock,
    logger: createLogger({ name: 'bench', level }),
  });
  while (!log.status().connected) await new Promise((resolve) => setTimeout(resolve, 50));
  return log;
};
