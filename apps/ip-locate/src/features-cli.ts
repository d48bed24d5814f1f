import type { DataOption } from './cli/data-option.ts';
import { dataUpdates } from './features/data-updates/index.ts';
import { databaseDiff } from './features/database-diff/index.ts';
import { traitUpdates } from './features/traits/update.ts';

/** The options of `ip-locate-data`, in the order of its help. The service loads nothing of them, so they have a list of their own; see `features.ts`. */
export const dataOptions: readonly DataOption[] = [dataUpdates, databaseDiff, traitUpdates];
