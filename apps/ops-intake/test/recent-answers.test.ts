import { createMetrics } from '@workspace/service-process';
import { RecentAnswers, clientAnswers } from '../src/features/console/recent-answers.ts';

const START = Date.parse('2026-11-23T12:00:00Z');

/** Answers of a service at a time that the test moves. */
const answersUnderTest = () => {
  const metrics = createMetrics({ name: 'ops-intake', version: '1' });
  let now = START;
  const recent = new RecentAnswers(
    () => clientAnswers(metrics),
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
  const setClock = (seconds: number) => (now += seconds * 1_000);
  return { recent, answer, pass, setClock };
};

describe('the answers of the last minutes', () => {
  const { recent, answer, pass, setClock } = answersUnderTest();

  it('are those of the last five minutes only, and to clients only', async () => {
    expect(await recent.state()).toMatchObject({ seconds: 0, answers: {} });
    answer(202, 4_000);
    answer(429, 1);
    answer(404, 1, '/operations/:submissionId', 'GET');
    answer(404, 1, 'unmatched', 'GET');
    answer(405, 1, 'unmatched', 'PUT');
    answer(503, 1, '/health', 'GET');
    answer(200, 1, '/console/events', 'GET');
    await pass(30);
    expect(await recent.state()).toMatchObject({ seconds: 30, answers: { 202: 1, 404: 2, 405: 1, 429: 1 } });
    await pass(600);
    const { history, ...rest } = await recent.state();
    expect(rest).toEqual({ seconds: 300, answers: {} });
    expect(history.note).toBe('Peaks per second: 0.1 × 202, 0.3 × 4xx');
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
    const { latency } = await recent.state();
    expect(latency).toEqual({ p50Ms: 10_000, p99Ms: 10_000 });
  });

  it('have a quarter of an hour of history, of 60 intervals, whatever the clock does', async () => {
    await pass(1_800);
    expect((await recent.state()).history).toEqual({
      lines: { accepted: '', rejected: '', failed: '' },
      note: 'No answers in the last 15 minutes',
    });
    for (let count = 0; count < 30; count += 1) answer(202, 1);
    for (let count = 0; count < 15; count += 1) answer(503, 1);
    await pass(15);
    const { lines, note } = (await recent.state()).history;
    expect(note).toBe('Peaks per second: 2 × 202, 1 × 5xx');
    const accepted = lines.accepted.split(' ');
    expect(accepted).toHaveLength(61);
    expect(accepted.slice(-3)).toEqual(['290,58', '295,4', '300,58']);
    expect(lines.failed.split(' ').at(-2)).toBe('295,31');
    expect(lines.rejected).toBe('');
    setClock(-86_400);
    expect(await recent.state()).toMatchObject({ seconds: 0, history: { note } });
    await pass(300);
    setClock(2 * 86_400);
    expect((await recent.state()).history.lines.accepted.split(' ')).toHaveLength(61);
    await pass(900);
    expect((await recent.state()).history.lines.accepted).toBe('');
  });
});
