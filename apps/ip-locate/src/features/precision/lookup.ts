import type { LookupOption } from '../../cli/lookup-option.ts';
import { oneOf } from '../../cli/terminal.ts';
import { PRECISIONS } from './precision.ts';

/** Coarser locations, for the command line. */
export const lookupPrecision: LookupOption = {
  name: 'precision',
  help: '  --precision NAME   country, region, city or full: most precise part of a location (default full)',
  options: { precision: { type: 'string', default: 'full' } },
  open: ({ precision }) => ({
    precision: PRECISIONS.get(oneOf('--precision', String(precision), [...PRECISIONS.keys()]))!,
  }),
};
