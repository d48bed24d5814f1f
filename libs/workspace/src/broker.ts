import { kafkaAvailable, type StandaloneBroker, startBroker } from '@workspace/kafka-broker';

export type DevelopmentBroker = Pick<StandaloneBroker, 'bootstrapServers' | 'stop'>;

/**
 * A Kafka for `npm start`, on `port` of localhost; undefined, after one line with the reason, when none can be started or
 * another one is configured.
 */
export const startDevelopmentBroker = async (
  env: NodeJS.ProcessEnv,
  port: number,
  say: (line: string) => void,
): Promise<DevelopmentBroker | undefined> => {
  if (env['KAFKA_BOOTSTRAP_SERVERS']) {
    say(`using the broker at ${env['KAFKA_BOOTSTRAP_SERVERS']} (KAFKA_BOOTSTRAP_SERVERS)`);
    return undefined;
  }
  const availability = kafkaAvailable();
  if (!availability.ok) {
    say(`no broker: ${availability.missing}. ops-intake answers 503 until one listens on localhost:${port}`);
    return undefined;
  }
  say('starting (the first time its jars are fetched: some seconds more) ...');
  try {
    const broker = await startBroker({ port });
    say(`ready at ${broker.bootstrapServers}`);
    return broker;
  } catch (error) {
    say(`no broker: ${(error as Error).message}`);
    return undefined;
  }
};
