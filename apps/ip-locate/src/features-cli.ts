import type { DataOption } from './cli/data-option.ts';
import { databaseDiff } from './features/database-diff/index.ts';

/** The options of the command line. The service loads nothing of them, so they have a list of their own; see `features.ts`. */
export const dataOptions: readonly DataOption[] = [databaseDiff];
