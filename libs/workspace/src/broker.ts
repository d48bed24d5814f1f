import {
  dockerAnswers,
  kafkaAvailable,
  startBroker,
  sayFirstStart,
  startContainerBroker,
} from '@workspace/kafka-broker';

export interface DevelopmentBroker {
  readonly bootstrapServers: string;
  stop(): Promise<void>;
}

/**
 * A Kafka for `npm start`, on `port` of localhost: with the Java of this machine, or in a container. Undefined, after one
 * line with the reason, when neither is possible or another broker is configured.
 * @param ownBroker KAFKA_BOOTSTRAP_SERVERS
 * @param status replaces the last line on a terminal; '' erases it
 */
export const startDevelopmentBroker = async (
  ownBroker: string | undefined,
  port: number,
  say: (line: string) => void,
  status: (text: string) => void,
): Promise<DevelopmentBroker | undefined> => {
  if (ownBroker !== undefined) {
    say(`using the broker at ${ownBroker} (KAFKA_BOOTSTRAP_SERVERS)`);
    return undefined;
  }
  const start = brokerStarter(port, say, status);
  if (!start) {
    say(
      `no broker: install a JDK 17 or newer and Maven, or start Docker. ops-intake answers 503 until a broker listens on localhost:${port}`,
    );
    return undefined;
  }
  try {
    const broker = await start();
    say(`ready at ${broker.bootstrapServers}`);
    return broker;
  } catch (error) {
    say(`no broker: ${(error as Error).message}`);
    return undefined;
  }
};

const brokerStarter = (
  port: number,
  say: (line: string) => void,
  status: (text: string) => void,
): (() => Promise<DevelopmentBroker>) | undefined => {
  if (kafkaAvailable().ok) {
    say('starting ...');
    return () => startBroker({ port, onFirstStart: sayFirstStart(say, status) });
  }
  if (dockerAnswers()) {
    say('starting in a container, as there is no JDK 17 with Maven ...');
    return () => startContainerBroker(port, say);
  }
  return undefined;
};
