import { Type } from '@sinclair/typebox';
import { option } from '../../extension-points.ts';
import { openAnonymousDatabase } from './anonymous-database.ts';

/** What addresses are used for, such as hosting. */
export const traits = option({
  name: 'traits',
  settings: {
    ANONYMOUS_DATABASE_PATH: Type.Optional(
      Type.String({
        description:
          'files that say what addresses are used for, such as hosting or Tor, separated by commas: GeoIP2-Anonymous-IP, or what `ip-locate-data` makes of published lists; unknown when unset',
      }),
    ),
  },
  open: ({ ANONYMOUS_DATABASE_PATH: paths }) =>
    paths === undefined
      ? undefined
      : { anonymous: { paths: paths.split(',').map((path) => path.trim()), open: openAnonymousDatabase } },
});
