import type { Option } from './extension-points.ts';
import { accessRules } from './features/access-rules/index.ts';
import { apiKeys } from './features/api-keys/index.ts';
import { batches } from './features/batches/index.ts';
import { waitingDatabases } from './features/database-diff/waiting.ts';
import { bothFamilies } from './features/both-families/index.ts';
import { hostNames } from './features/host-names/index.ts';
import { overlay } from './features/overlay/index.ts';
import { precision } from './features/precision/index.ts';
import { traits } from './features/traits/index.ts';

/**
 * The options of the service, in the order in which they open and have their routes; they close in reverse. Access rules may
 * name the kinds of addresses before them, API keys the precisions. Delete a line here, its import and its folder, and the option is gone.
 */
export const options: readonly Option[] = [
  traits,
  overlay,
  precision,
  batches,
  accessRules,
  apiKeys,
  waitingDatabases,
  hostNames,
  bothFamilies,
];
