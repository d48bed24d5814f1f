// `npm start`: all three services from their sources and a real Kafka, until Ctrl-C.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusLine } from '@workspace/kafka-broker';
import { prettyFactory } from 'pino-pretty';
import { startDevelopmentBroker } from './broker.ts';
import { startServiceProcess } from './service-process.ts';
import { type ServiceEntry, services } from './services.ts';
import { takenPorts } from './taken-ports.ts';

const pretty = prettyFactory({
  colorize: process.stdout.isTTY && !process.env['NO_COLOR'],
  singleLine: true,
  ignore: 'service,pid,hostname',
});
const width = Math.max(...services.map(({ name }) => name.length));
const output = statusLine(process.stdout, process.env);
const say = (name: string) => (line: string) =>
  output.line(`${name.padEnd(width)} | ${pretty(line).trimEnd() || line}`);
/** Replaces the last line on a terminal; '' erases it. */
const status = (name: string) => (text: string) => output.status(text && `${name.padEnd(width)} | ${text}`);

const portSettingOf = ({ name }: ServiceEntry): string => `PORT_${name.toUpperCase().replaceAll('-', '_')}`;
/** An empty variable counts as unset, as in the services. */
const settingOf = (name: string): string | undefined => process.env[name]?.trim() || undefined;
/** PORT_OPS_INTAKE and so on move a service; its own default stands otherwise. */
const portOf = (service: ServiceEntry): number => Number(settingOf(portSettingOf(service)) ?? service.port);

const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]);
// The terminal, npm and the loader may each pass on the same Ctrl-C: only the first one counts.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// The services cannot share one port, and the settings of the loader are for this process.
const {
  MANAGEMENT_PORT: _m,
  PORT: _p,
  TSX_TSCONFIG_PATH: _t,
  NODE_OPTIONS: _n,
  ...environment
} = process.env;
// A browser that opens the address of ops-intake gets a page, as those of the others do. It has no login: for this machine only.
const operatorConsole = settingOf('CONSOLE') ?? String(settingOf('HOST') === undefined);
const kafkaPort = Number(settingOf('KAFKA_PORT') ?? 9092);
const ownBroker = settingOf('KAFKA_BOOTSTRAP_SERVERS');
const bootstrapServers = ownBroker ?? `localhost:${kafkaPort}`;

const ports = [
  ...services.map((service) => ({
    name: service.name,
    port: portOf(service),
    setting: portSettingOf(service),
  })),
  ...(ownBroker === undefined
    ? [
        {
          name: 'kafka',
          port: kafkaPort,
          setting: 'KAFKA_PORT',
          otherwise: `, or KAFKA_BOOTSTRAP_SERVERS=localhost:${kafkaPort} if it is a broker`,
        },
      ]
    : []),
];
const noPorts = ports.filter(({ port }) => !(Number.isInteger(port) && port > 0 && port <= 65_535));
for (const { name, setting } of noPorts)
  say(name)(`${setting} must be a port from 1 to 65535, not "${process.env[setting]}"`);
if (noPorts.length > 0) process.exit(1);
const taken = await takenPorts(ports);
for (const { name, port, setting, otherwise = '' } of taken)
  say(name)(`port ${port} is in use: stop what listens there, or set ${setting}${otherwise}`);
if (taken.length > 0) process.exit(1);
const broker = startDevelopmentBroker(ownBroker, kafkaPort, say('kafka'), status('kafka'));
const running = services.map((service) =>
  startServiceProcess(
    service.name,
    {
      ...environment,
      CONSOLE: operatorConsole,
      KAFKA_BOOTSTRAP_SERVERS: bootstrapServers,
      PORT: String(portOf(service)),
    },
    say(service.name),
  ),
);
let stopping = false;
const failed = Promise.race(
  running.map(async ({ name, exited }) => {
    const code = await exited;
    if (!stopping) say(name)(`ended by itself with exit code ${code}`);
    return 'failed' as const;
  }),
);

/** Resolves when `url` answers in the wanted way. */
const answers = async (url: string, wanted: (answer: Response) => boolean): Promise<void> => {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer && wanted(answer)) return;
    await sleep(100);
  }
};

const announce = async (): Promise<'announced'> => {
  const health = (service: ServiceEntry) => `http://127.0.0.1:${portOf(service)}/health`;
  await Promise.all(services.map((service) => answers(health(service), () => true)));
  // With a broker of ours everything is up only when ops-intake has found it.
  if (await broker) await Promise.all(services.map((service) => answers(health(service), ({ ok }) => ok)));
  const lines = services.map((service) => {
    const url = `localhost:${portOf(service)}`;
    return `  http://${url}  ${service.name}, API reference at http://${url}/docs\n    ${service.curl(url)}\n`;
  });
  const states = await Promise.all(
    services.map(async (service) => ({ service, up: (await fetch(health(service))).ok })),
  );
  const down = states.filter(({ up }) => !up).map(({ service }) => service.name);
  const up = down.length === 0 ? 'All up.' : `All started, but ${down.join(', ')} answers 503 (see above).`;
  output.line(
    `\n${lines.join('')}\n${up} That took ${process.uptime().toFixed(0)} s. Ctrl-C stops everything.\n`,
  );
  return 'announced';
};

let end = await Promise.race([announce(), failed, stopped]);
if (end === 'announced') end = await Promise.race([failed, stopped]);

stopping = true;
// The services first, while the broker can still take what they have accepted.
await Promise.all(running.map((service) => service.stop()));
// A broker that has not started yet ends with this process, a fetch of it too: that takes no wait.
await (await Promise.race([broker, undefined]))?.stop();
status('kafka')('');
output.line('All stopped.');
process.exit(end === 'failed' ? 1 : 0);
