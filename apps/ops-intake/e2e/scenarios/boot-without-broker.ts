import { Agent } from 'undici';
import { health, untilHealth } from '../support/health.ts';
import { createAnswerLog, numberedBody, violations } from '../support/answer-log.ts';
import { post, startLoad } from '../support/load.ts';
import { startService } from '../support/service.ts';
import { type FaultScenario, milliseconds, pause, seconds } from './test-bed.ts';

/** F5: no broker when the service boots; it comes later. */
export const bootWithoutBroker: FaultScenario = {
  id: 'F5',
  fault: 'no broker at boot, it comes after 60 s (short form 5 s)',
  run: async (bed) => {
    const topic = await bed.topic('boot');
    await bed.broker.kill();
    const began = performance.now();
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
      KAFKA_TOPIC: topic,
    });
    const first = await health(service.url);
    const httpAfter = performance.now() - began;
    const found: string[] = [];
    if (first.status !== 503) found.push(`/health said ${first.status} without a broker`);

    const agent = new Agent();
    const end = performance.now() + (bed.long ? 60_000 : 5_000);
    let slowest503 = 0;
    let problems = 0;
    await post(agent, service.url, numberedBody(0)); // the first request of a process and of a client is slower
    while (performance.now() < end) {
      const answer = await post(agent, service.url, numberedBody(0));
      if (answer?.status !== 503 || answer.body['outcome'] !== 'not-published')
        found.push(`answer ${answer?.status}`);
      slowest503 = Math.max(slowest503, answer?.ms ?? 0);
      problems += 1;
      await pause(20);
    }
    await agent.close();
    await bed.broker.restart();
    const brokerReady = performance.now();
    await untilHealth(service.url, 200);
    const readyAfter = performance.now() - brokerReady;

    const answers = createAnswerLog();
    const load = startLoad({ url: () => service.url, answers });
    await load.accepted();
    await load.stop();
    await service.stop();
    const audit = await answers.audit(bed.broker, topic);
    found.push(...violations(audit));
    const late: string[] = [];
    if (httpAfter > 2_000) late.push(`HTTP only after ${seconds(httpAfter)}`);
    if (slowest503 > 100) late.push(`a 503 took ${milliseconds(slowest503)}`);
    if (readyAfter > 3_000) late.push(`ready only ${seconds(readyAfter)} after the broker`);
    return {
      figures: {
        ...audit,
        'HTTP after': seconds(httpAfter),
        '503 meanwhile': problems,
        'slowest of them': milliseconds(slowest503),
        'ready after the broker': seconds(readyAfter),
      },
      violations: found,
      late,
    };
  },
};
