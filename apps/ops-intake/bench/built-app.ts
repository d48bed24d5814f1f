import { eventually, startBuiltService } from '@workspace/testing';
import { cpuMilliseconds, residentMegabytes } from '@workspace/testing/bench';
import type { ServerProcess } from './server-process.ts';

/** Starts the built service with the memory settings of its image; resolves when it can submit. */
export const startBuiltApp = async (
  env: Readonly<Record<string, string>>,
): Promise<Omit<ServerProcess, 'loopDelay'>> => {
  const { url, child } = await startBuiltService('ops-intake', {
    NODE_OPTIONS: '--max-semi-space-size=16',
    ...env,
  });
  await eventually('health', async () => {
    const { status, checks } = (await (await fetch(`${url}/health`)).json()) as {
      status: string;
      checks: Record<string, unknown>;
    };
    // The topic of one replica is warned of.
    return status !== 'down' && !checks['idempotency-store:connection'];
  });
  return {
    url: `${url}/operations`,
    residentMb: () => residentMegabytes(child.pid),
    cpuMs: () => cpuMilliseconds(child.pid),
    stop: async () => void child.kill('SIGKILL'),
  };
};
