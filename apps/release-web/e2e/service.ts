import { join } from 'node:path';
import { builtFile, type ServiceProcess, startServiceProcess, workspaceRoot } from '@workspace/testing';

/** Data that no publication changes. */
const frozenData = (): string => join(workspaceRoot, 'libs/release-catalogue/fixtures/data');

/** The built service as a process of its own. */
export interface RunningService extends Omit<ServiceProcess, 'url'> {
  readonly url: string;
}

/**
 * Starts the service on a free port, with data that stays as it is, and waits until it is ready for requests.
 */
export const startService = async (env: Record<string, string> = {}): Promise<RunningService> => {
  const service = startServiceProcess({
    args: [builtFile('release-web')],
    env: { DRAIN_DELAY_MS: '0', DATA_DIR: frozenData(), ...env },
  });
  return { ...service, url: await service.url() };
};
