import type { LookupOption } from '../../cli/lookup-option.ts';
import { openAnonymousDatabase } from './anonymous-database.ts';

/** What addresses are used for, on the command line. */
export const lookupTraits: LookupOption = {
  name: 'traits',
  help: `  --anonymous-database FILES
                     what addresses are used for, such as hosting or Tor: GeoIP2-Anonymous-IP, or a file that ip-locate-data made`,
  options: { 'anonymous-database': { type: 'string' } },
  open: async ({ 'anonymous-database': paths }, { read }) =>
    typeof paths === 'string'
      ? { anonymous: { current: await openAnonymousDatabase(await read(paths.split(','))) } }
      : {},
};
