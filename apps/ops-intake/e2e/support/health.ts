import { eventually } from '@workspace/testing';

/** Resolves when /health answers with this status. */
export const untilHealth = async (url: string, status: number): Promise<void> => {
  await eventually(`${status} from /health`, async () => (await health(url)).status === status);
};

/** /health's status (0 without an answer) and how long it took. */
export const health = async (url: string): Promise<{ status: number; ms: number }> => {
  const began = performance.now();
  const status = await fetch(`${url}/health`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
  return { status, ms: performance.now() - began };
};

/** Resolves when /health is down for this reason. */
export const untilHealthSays = async (url: string, reason: string): Promise<void> => {
  await eventually(`"${reason}" in /health`, async () => {
    const answer = await fetch(`${url}/health`);
    return answer.status === 503 && (await answer.text()).includes(reason);
  });
};
