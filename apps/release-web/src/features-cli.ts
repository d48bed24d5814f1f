import type { CommandOption } from './cli/command-option.ts';
import { exportOption } from './features/export/index.ts';

/** The options of the command line. The service loads nothing of them, so they have a list of their own; see `features.ts`. */
export const commandOptions: readonly CommandOption[] = [exportOption];
