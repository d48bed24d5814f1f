/** Resolves when /health is down for this reason; the test's own time limit ends a vain wait. */
export async function untilHealthSays(url: string, reason: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health`);
    if (answer.status === 503 && (await answer.text()).includes(reason)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
