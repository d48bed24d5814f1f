import type { Health } from '@workspace/schemas';
import { type BuiltService, startBuiltService } from '@workspace/testing';

export interface RunningService extends BuiltService {
  health(): Promise<Health>;
}

export const startService = async (env: Record<string, string> = {}): Promise<RunningService> => {
  const service = await startBuiltService('ip-locate', env);
  return {
    ...service,
    health: async () => (await fetch(`${service.url}/health`)).json() as Promise<Health>,
  };
};
