import type { Option } from '../../extension-points.ts';
import { documentPath, FORMATS, lifecycle as routes } from './routes.ts';

/** The life of PHP and of its branches in the forms of two standards, for scanners. */
export const lifecycle: Option = {
  name: 'lifecycle',
  tag: {
    name: 'lifecycle',
    description: 'Releases and support as two standards say it: CLE (ECMA-428) and OpenEoX Core (OASIS).',
  },
  routes,
  exportedPaths: ({ branches }) =>
    branches.flatMap(({ branch }) => FORMATS.map((format) => documentPath(format, branch))),
};
