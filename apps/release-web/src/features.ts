import type { Option } from './extension-points.ts';
import { calendar } from './features/calendar/index.ts';
import { endoflife } from './features/endoflife/index.ts';
import { lifecycle } from './features/lifecycle/index.ts';
import { security } from './features/security/index.ts';

/** The options of the service, in the order of their routes. Delete a line here, its import and its folder, and the option is gone. */
export const options: readonly Option[] = [security, calendar, endoflife, lifecycle];
