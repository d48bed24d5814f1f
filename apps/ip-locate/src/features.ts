import type { Option } from './extension-points.ts';
import { batches } from './features/batches/index.ts';
import { waitingDatabases } from './features/database-diff/waiting.ts';
import { hostNames } from './features/host-names/index.ts';

/** The options of the service, in the order of their routes. Delete a line here, its import and its folder, and the option is gone. */
export const options: readonly Option[] = [batches, waitingDatabases, hostNames];
