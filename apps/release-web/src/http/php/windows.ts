import { type Static, Type } from '@sinclair/typebox';
import { type BranchFile, compareVersions, releasesOf, WindowsBuilds } from '@workspace/release-catalogue';
import { ProblemError, type Service } from '@workspace/service-kit';
import type { Snapshot } from '../../application/snapshot.ts';
import { isBeforeSecurityEnd } from '../../domain/support-state.ts';
import { problems } from '../../problems.ts';
import { EXAMPLE_DIGEST } from '../api/envelope.ts';
import type { Answers } from '../rendering/answers.ts';
import { json, redirection } from '../rendering/cacheable.ts';
import { jsonRepresentation } from '../rendering/checked-json.ts';
import { redirect } from '../rendering/redirect.ts';

const EXAMPLE_FILE = 'php-8.4.24-nts-Win32-vs17-x64.zip';
const { source, test_pack, builds } = WindowsBuilds.properties;
const [Build] = Object.values(builds.patternProperties);

/** The newest release of a branch that has builds; these are members of their own names. */
const WindowsRelease = Type.Object(
  { version: Type.String({ examples: ['8.4.24'] }), source, test_pack },
  { additionalProperties: Build!, $id: 'WindowsRelease' },
);
const WindowsIndex = Type.Record(Type.String(), WindowsRelease, {
  description: 'by branch',
  examples: [
    { '8.4': { version: '8.4.24', 'nts-vs17-x64': { zip: { path: EXAMPLE_FILE, sha256: EXAMPLE_DIGEST } } } },
  ],
});
type WindowsIndex = Static<typeof WindowsIndex>;

/** Builds for Windows in the shape of downloads.php.net, under the paths that they have there. */
export const windowsReleases = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(
    (snapshot, cache) => () =>
      cache.get('windows', () => jsonRepresentation(WindowsIndex, indexOf(snapshot))),
  );
  const schema = {
    operationId: 'windowsReleases',
    tags: ['php.net'],
    summary: 'The newest builds for Windows of each supported branch',
    response: json(WindowsIndex),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current) => answer(current)()),
  );
};

const indexOf = ({ catalogue, builtAt }: Snapshot): WindowsIndex =>
  Object.fromEntries(
    catalogue.branches
      .filter((branch) => isBeforeSecurityEnd(branch, builtAt))
      .flatMap((branch) => {
        const release = newestBuilt(branch);
        if (!release?.windows) return [];
        const { builds: byName, ...others } = release.windows;
        return [[branch.branch, { version: release.version, ...others, ...byName }]];
      }),
  );

/** Builds are made after the release: for some hours the one before it is the newest that has some. */
const newestBuilt = (branch: BranchFile) =>
  releasesOf(branch)
    .filter(({ windows, yanked }) => windows !== undefined && !yanked)
    .sort((a, b) => compareVersions(b.version, a.version))[0];

/** The files of the builds, which are kept elsewhere. */
export const windowsDownload = (
  app: Service,
  path: '/~windows/releases/:filename' | '/~windows/releases/archives/:filename',
  answers: Answers,
): void => {
  const folder = path.includes('/archives/') ? 'archives/' : '';
  const schema = {
    operationId: folder ? 'archivedWindowsFile' : 'windowsFile',
    tags: ['php.net'],
    summary: 'Where a file of a build for Windows is kept',
    params: Type.Object({ filename: Type.String({ examples: [EXAMPLE_FILE] }) }),
    problems: [problems['unknown-release']],
    response: redirection(302, 'To the file.'),
  };
  app.get(path, { schema }, (request, reply) => {
    const { filename } = request.params;
    const { branches, product } = answers.snapshot.catalogue;
    const base = product.downloads.windows;
    const isKnown = branches.some((branch) =>
      releasesOf(branch).some(({ windows }) => windows !== undefined && hasFile(windows, filename)),
    );
    if (base !== undefined && isKnown) return redirect(reply, `${base}${folder}${filename}`, 302);
    throw new ProblemError(problems['unknown-release'], {
      detail: `No Windows build on record has the file ${filename}.`,
    });
  });
};

const hasFile = (
  { source: sources, test_pack: tests, builds: byName }: WindowsBuilds,
  name: string,
): boolean =>
  [
    sources,
    tests,
    ...Object.values(byName).flatMap(({ zip, debug_pack, devel_pack }) => [zip, debug_pack, devel_pack]),
  ].some((file) => file?.path === name);
