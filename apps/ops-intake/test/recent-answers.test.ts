import { createMetrics } from '@workspace/service-process';
import { RecentAnswers, submissionAnswers } from '../src/features/console/recent-answers.ts';

const START = Date.parse('2026-11-23T12:00:00Z');

/** Answers of a service at a time that the test moves. */
const answersUnderTest = () => {
  const metrics = createMetrics({ name: 'ops-intake', version: '1' });
  let now = START;
  const recent = new RecentAnswers(
    () => submissionAnswers(metrics),
    () => new Date(now),
  );
  afterEach(() => recent.close());
  const answer = (statusCode: number, milliseconds: number, url = '/operations', method = 'POST') =>
    metrics.observe({ method, routeOptions: { url } } as never, { statusCode } as never, milliseconds);
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 15) {
      now += 15_000;
      await recent.remember();
    }
  };
  return { recent, answer, pass };
};

describe('the answers of the last minutes', () => {
  const { recent, answer, pass } = answersUnderTest();

  it('are those of the last five minutes only, and of submissions only', async () => {
    expect(await recent.state()).toEqual({ seconds: 0, answers: {} });
    answer(202, 4_000);
    answer(429, 1);
    answer(404, 1, '/operations/:submissionId', 'GET');
    await pass(30);
    expect(await recent.state()).toMatchObject({ seconds: 30, answers: { 202: 1, 429: 1 } });
    await pass(600);
    expect(await recent.state()).toEqual({ seconds: 300, answers: {} });
    // 98 of 100 between 5 and 10 ms, two between 100 and 250 ms: ranks 50 and 99 inside their buckets.
    for (let count = 0; count < 98; count += 1) answer(202, 7);
    for (let count = 0; count < 2; count += 1) answer(202, 200);
    answer(503, 9_000);
    const { latency, answers } = await recent.state();
    expect(answers).toEqual({ 202: 100, 503: 1 });
    expect(latency!.p50Ms).toBeCloseTo(5 + (5 * 50) / 98);
    expect(latency!.p99Ms).toBeCloseTo(100 + 150 / 2);
  });

  it('name the highest bound for what takes longer', async () => {
    await pass(600);
    answer(202, 60_000);
    expect((await recent.state()).latency).toEqual({ p50Ms: 10_000, p99Ms: 10_000 });
  });
});
