import type { LookupOption } from '../../cli/lookup-option.ts';
import { openOverlay } from './overlay-file.ts';

/** Networks of one's own, for the command line. */
export const lookupOverlay: LookupOption = {
  name: 'overlay',
  help: '  --overlay FILE     CSV file of networks of your own, which take precedence over the databases',
  options: { overlay: { type: 'string' } },
  open: async ({ overlay: path }, { read, timeZoneAt }) =>
    typeof path === 'string'
      ? { overlay: { current: await openOverlay(await read([path]), { timeZoneAt }) } }
      : {},
};
