import { Type } from '@sinclair/typebox';
import { FULL } from '../../application/locate.ts';
import { option } from '../../extension-points.ts';
import { PRECISIONS } from './precision.ts';

/** Locations that are coarser than the data. */
export const precision = option({
  name: 'precision',
  settings: {
    PRECISION: Type.Optional(
      Type.Union([Type.Literal('country'), Type.Literal('region'), Type.Literal('city')], {
        description:
          'most precise part of a location in answers: `country`, `region` or `city`; API keys may have another; everything in the data when unset',
      }),
    ),
  },
  open: ({ PRECISION: name }) => ({
    precisions: { common: (name && PRECISIONS.get(name)) ?? FULL, named: PRECISIONS },
  }),
});
