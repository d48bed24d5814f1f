// nx serve kafka-broker: a broker for development, until Ctrl-C.
//   KAFKA_PORT          9092 unless set
//   KAFKA_DATA_FOLDER   data that stays from run to run; without it the data goes with the broker
import { kafkaAvailable } from './availability.ts';
import { sayFirstStart } from './first-start.ts';
import { startBroker } from './start.ts';
import { statusLine } from './status-line.ts';

const availability = kafkaAvailable();
if (!availability.ok) {
  console.error(`Kafka cannot be started here: ${availability.missing}`);
  process.exit(1);
}

const ended = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
});

const dataFolder = process.env['KAFKA_DATA_FOLDER'];
const { line, status } = statusLine(process.stdout, process.env);
line('starting Kafka ...');
try {
  const port = Number(process.env['KAFKA_PORT'] || 9092);
  const starting = startBroker({
    port,
    ...(dataFolder && { dataFolder }),
    onFirstStart: sayFirstStart(line, status),
  });
  // A signal during the start ends this process; the supervisor then removes what was started.
  if ((await Promise.race([starting, ended.then(() => 'ended')])) === 'ended') process.exit(0);
  const broker = await starting;
  console.log(
    `Kafka answers on localhost:${broker.port}; data and log in ${broker.folder}. Press Ctrl+C to stop it.`,
  );
  await ended;
  await broker.stop();
  console.log('Kafka has ended.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
