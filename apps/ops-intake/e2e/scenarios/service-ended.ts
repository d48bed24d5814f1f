import { untilHealth } from '../support/health.ts';
import { createAnswerLog, violations } from '../support/answer-log.ts';
import { startLoad } from '../support/load.ts';
import { startService } from '../support/service.ts';
import { type FaultScenario, type TestBed, acceptedMore, seconds } from './test-bed.ts';

/** Ends the service under load again and again, and starts another on the same port. */
const endRepeatedly = async (
  bed: TestBed,
  name: string,
  signal: 'SIGTERM' | 'SIGKILL',
  keyedEvery: number,
) => {
  const times = bed.long ? 20 : 2;
  const topic = await bed.topic(name);
  const env = { KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers, KAFKA_TOPIC: topic };
  let service = await startService(env);
  const { url, port } = service;
  await untilHealth(url, 200);
  const answers = createAnswerLog();
  const load = startLoad({ url: () => url, answers, keyedEvery });
  const exits: (number | null)[] = [];
  let slowestExit = 0;
  for (let round = 0; round < times; round += 1) {
    await acceptedMore(load, 1_000);
    const began = performance.now();
    service.signal(signal);
    exits.push(await service.exited);
    slowestExit = Math.max(slowestExit, performance.now() - began);
    service = await startService(env, port);
    await load.accepted();
  }
  await load.stop();
  await service.stop();
  const audit = await answers.audit(bed.broker, topic);
  return { times, answers, load, audit, exits, slowestExit };
};

/** F6: an orderly end under load: whatever was accepted is answered. */
export const serviceTerminated: FaultScenario = {
  id: 'F6',
  fault: 'SIGTERM of the service under load',
  run: async (bed) => {
    const { times, load, audit, exits, slowestExit } = await endRepeatedly(bed, 'terminated', 'SIGTERM', 0);
    const found = violations(audit);
    if (audit.unansweredFound > 0) found.push(`${audit.unansweredFound} in the log, but never answered`);
    if (exits.some((code) => code !== 0)) found.push(`exit codes ${exits.join(' ')}`);
    const late = slowestExit > 10_000 ? [`an exit took ${seconds(slowestExit)}`] : [];
    return {
      figures: {
        times,
        ...audit,
        'connections refused': load.statuses.get(0) ?? 0,
        'slowest exit': seconds(slowestExit),
        'exit codes': [...new Set(exits)].join(' '),
      },
      violations: found,
      late,
    };
  },
};

/** F7: the service dies by kill -9; clients post again with the same Idempotency-Key to the next one. */
export const serviceKilled: FaultScenario = {
  id: 'F7',
  fault: 'kill -9 of the service under load, keys posted again',
  run: async (bed) => {
    const { times, load, audit } = await endRepeatedly(bed, 'killed', 'SIGKILL', 2);
    return {
      figures: { times, ...audit, 'answers lost': load.statuses.get(0) ?? 0 },
      violations: violations(audit),
    };
  },
};
