import type { CommandOption } from '../../cli/command-option.ts';
import { exportCommand } from './export-command.ts';

/** Writes everything the service answers on a day as files. */
export const exportOption: CommandOption = { name: 'export', command: exportCommand };
