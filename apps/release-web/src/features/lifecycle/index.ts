import type { Option } from '../../extension-points.ts';
import { type TSchema, Type } from '@sinclair/typebox';
import type { BranchFile, Catalogue } from '@workspace/release-catalogue';
import type { Snapshot } from '../../application/snapshot.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { BranchParameter, knownBranch } from '../../http/rendering/known-branch.ts';
import type { RepresentationCache } from '../../http/rendering/representation-cache.ts';
import { problems } from '../../problems.ts';
import { cleDocument, OpenEox, openEoxDocument } from './documents.ts';
import { Cle } from './cle-schema.ts';

/** The names of the files, which are those of the standards. */
const FORMATS = ['cle', 'openeox'] as const;
type Format = (typeof FORMATS)[number];

/** Where the document of a branch is; without one, that of PHP. */
const documentPath = (format: Format, branch?: string): string =>
  `/lifecycle/${branch === undefined ? '' : `${branch}/`}${format}.json`;

interface Standard {
  readonly title: string;
  readonly schema: TSchema;
  readonly make: (catalogue: Catalogue, branch?: BranchFile) => unknown;
}

const STANDARDS: Readonly<Record<Format, Standard>> = {
  cle: { title: 'Common Lifecycle Enumeration, ECMA-428', schema: Cle, make: cleDocument },
  openeox: { title: 'OpenEoX Core 1.0', schema: OpenEox, make: openEoxDocument },
};

/** Targets are relative, so that they hold wherever the documents are, an export included. */
const links = (format: Format, { branches }: Catalogue, branch?: BranchFile): string => {
  const other = FORMATS.find((name) => name !== format)!;
  return [
    [documentPath(other, branch?.branch), 'alternate'],
    ...(branch
      ? [[documentPath(format), 'collection']]
      : branches.map((file) => [documentPath(format, file.branch), 'item'])),
  ]
    .map(([target, relation]) => `<${target}>; rel="${relation}"`)
    .join(', ');
};

/** A document for PHP, and one for each branch. */
const standardRoutes = (answers: Answers, format: Format): void => {
  const { title, schema, make } = STANDARDS[format];
  // Made for the first request: most instances are never asked.
  const document = ({ catalogue }: Snapshot, cache: RepresentationCache, branch?: BranchFile) =>
    cache.get(documentPath(format, branch?.branch), () =>
      jsonRepresentation(schema, make(catalogue, branch), { link: links(format, catalogue, branch) }),
    );
  const common = { tags: ['lifecycle'], response: json(schema) };
  answers.route(
    documentPath(format),
    { ...common, operationId: `${format}OfProduct`, summary: `The life of PHP (${title})` },
    (snapshot, cache) => () => document(snapshot, cache),
  );
  answers.route(
    `/lifecycle/:branch/${format}.json`,
    {
      ...common,
      operationId: `${format}OfBranch`,
      summary: `The life of one branch (${title})`,
      params: Type.Object({ branch: BranchParameter }),
      problems: [problems['unknown-branch']],
    },
    (snapshot, cache) =>
      ({ params }) =>
        document(snapshot, cache, knownBranch(snapshot, params.branch)),
  );
};

/** The life of PHP and of its branches in the forms of two standards, for scanners. */
export const lifecycle: Option = {
  name: 'lifecycle',
  tag: {
    name: 'lifecycle',
    description: 'Releases and support as two standards say it: CLE (ECMA-428) and OpenEoX Core (OASIS).',
  },
  routes: (answers) => FORMATS.forEach((format) => standardRoutes(answers, format)),
  exportedPaths: ({ branches }) =>
    branches.flatMap(({ branch }) => FORMATS.map((format) => documentPath(format, branch))),
};
