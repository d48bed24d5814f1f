import { join } from 'node:path';
import { type BuiltService, startBuiltService, workspaceRoot } from '@workspace/testing';

export type { BuiltService as RunningService };

/** Starts the service with data that no publication changes. */
export const startService = (env: Record<string, string> = {}): Promise<BuiltService> =>
  startBuiltService('release-web', {
    DATA_DIR: join(workspaceRoot, 'libs/release-catalogue/fixtures/data'),
    // They grow old with the calendar.
    DATA_STALE_DAYS: '100000',
    ...env,
  });
