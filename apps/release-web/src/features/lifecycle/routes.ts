import { type TSchema, Type } from '@sinclair/typebox';
import type { BranchFile, Catalogue } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { BranchParameter, knownBranch } from '../../http/rendering/known-branch.ts';
import { problems } from '../../problems.ts';
import { cleDocument } from './cle.ts';
import { Cle } from './cle-schema.ts';
import { OpenEox, openEoxDocument } from './openeox.ts';

/** The names of the files, which are those of the standards. */
export const FORMATS = ['cle', 'openeox'] as const;
type Format = (typeof FORMATS)[number];

/** Where the document of a branch is; without one, that of PHP. */
export const documentPath = (format: Format, branch?: string): string =>
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

const standardRoutes = (app: Service, answers: Answers, format: Format): void => {
  const { title, schema, make } = STANDARDS[format];
  // Made for the first request: most instances are never asked.
  const answer = answers.prepare(
    ({ catalogue }, cache) =>
      (branch?: BranchFile) =>
        cache.get(documentPath(format, branch?.branch), () =>
          jsonRepresentation(schema, make(catalogue, branch), { link: links(format, catalogue, branch) }),
        ),
  );
  const common = { tags: ['lifecycle'], response: json(schema) };
  const ofProduct = { ...common, operationId: `${format}OfProduct`, summary: `The life of PHP (${title})` };
  app.get(documentPath(format), { schema: ofProduct }, (request, reply) =>
    answers.respond(request, reply, (current) => answer(current)()),
  );
  const ofBranch = {
    ...common,
    operationId: `${format}OfBranch`,
    summary: `The life of one branch (${title})`,
    params: Type.Object({ branch: BranchParameter }),
    problems: [problems['unknown-branch']],
  };
  app.get(`/lifecycle/:branch/${format}.json`, { schema: ofBranch }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) =>
      answer(current)(knownBranch(current.snapshot, params.branch)),
    ),
  );
};

/** One document of each standard for PHP, and one for each branch. */
export const lifecycle = (app: Service, answers: Answers): void => {
  for (const format of FORMATS) standardRoutes(app, answers, format);
};
