import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when /health answers with this status; the test's own limit ends a vain wait. */
export async function untilHealth(url: string, status: number): Promise<void> {
  while ((await health(url)).status !== status) await sleep(20);
}

/** /health's status (0 without an answer) and how long it took. */
export async function health(url: string): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  const status = await fetch(`${url}/health`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
  return { status, ms: performance.now() - began };
}

/** Resolves when /health is down for this reason. */
export async function untilHealthSays(url: string, reason: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health`);
    if (answer.status === 503 && (await answer.text()).includes(reason)) return;
    await sleep(20);
  }
}
