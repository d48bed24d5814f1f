import { type Static, Type } from '@sinclair/typebox';
import { type BranchFile, CveId } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import { isSupported } from '../../domain/support-state.ts';
import { type Vulnerability, vulnerabilities } from './vulnerability.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { knownBranchOfQuery, OptionalBranch } from '../../http/rendering/known-branch.ts';
import { answerWithMany, Many } from '../../http/api/envelope.ts';
import { Osv, osvRecord } from './osv.ts';
import { securityProblems } from './problems.ts';

/** A vulnerability, since when it is fixed, and where it still is. */
export const ApiVulnerability = Type.Object(
  {
    cve: CveId,
    fixed_since: Type.Array(
      Type.Object({
        branch: Type.String({ examples: ['8.4'] }),
        version: Type.Union([Type.String(), Type.Null()], {
          description: 'null: the release that fixed it was withdrawn, and there is no later one',
          examples: ['8.4.24'],
        }),
        date: Type.Union([Type.String({ format: 'date' }), Type.Null()], { examples: ['2026-07-30'] }),
      }),
      { description: 'the release of each branch that has the fix, newest branch first' },
    ),
    affected: Type.Array(Type.String(), {
      description:
        'releases of supported branches before the fix; in which of them the fault came in is not recorded',
      examples: [['8.4.23']],
    }),
    osv: Type.String({
      format: 'uri',
      description: 'the same in the format of OSV',
      examples: ['https://releases.example/api/v1/security/CVE-2026-17544'],
    }),
  },
  { $id: 'Vulnerability' },
);
export type ApiVulnerability = Static<typeof ApiVulnerability>;

const Vulnerabilities = Many(ApiVulnerability);
const tags = ['api'];

const vulnerabilityView = (
  { cve, branches }: Vulnerability,
  now: Date,
  baseUrl: string,
): ApiVulnerability => ({
  cve,
  fixed_since: branches.map(({ branch: { branch }, since }) => ({
    branch,
    version: since?.version ?? null,
    date: since?.date ?? null,
  })),
  affected: branches
    .filter(({ branch }) => isSupported(branch, now))
    .flatMap(({ affected }) => affected.map(({ version }) => version).reverse()),
  osv: `${baseUrl}/api/v1/security/${cve}`,
});

export const apiSecurity = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(
    ({ catalogue, builtAt, lastModified }, cache) =>
      (file: BranchFile | undefined) =>
        cache.get(`security ${file?.branch ?? ''}`, () =>
          answerWithMany(
            Vulnerabilities,
            lastModified,
            vulnerabilities(file ? { branches: [file] } : catalogue).map((vulnerability) =>
              vulnerabilityView(vulnerability, builtAt, answers.site.baseUrl),
            ),
          ),
        ),
  );
  const schema = {
    operationId: 'security',
    tags,
    summary: 'Vulnerabilities: since which release each is fixed, and which supported releases have it',
    querystring: OptionalBranch,
    problems: [problems['unknown-branch']],
    response: json(Vulnerabilities),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { query }) =>
      answer(current)(knownBranchOfQuery(current.snapshot, query)),
    ),
  );
};

/** One vulnerability as OSV writes it. */
export const apiVulnerability = (app: Service, path: `${string}:cve`, answers: Answers): void => {
  const answer = answers.prepare(({ catalogue }, cache) => {
    // Made for the first request: most instances are never asked.
    let known: ReadonlyMap<string, Vulnerability> | undefined;
    return (cve: string) => {
      known ??= new Map(vulnerabilities(catalogue).map((found) => [found.cve, found]));
      const found = known.get(cve);
      return (
        found &&
        cache.get(`osv ${cve}`, () =>
          jsonRepresentation(Osv, osvRecord(catalogue, found, answers.site.baseUrl)),
        )
      );
    };
  });
  const schema = {
    operationId: 'vulnerability',
    tags,
    summary: 'One vulnerability in the format of OSV',
    params: Type.Object({ cve: CveId }),
    problems: [securityProblems['unknown-vulnerability']],
    response: json(Osv),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      const found = answer(current)(params.cve);
      if (found) return found;
      throw new ProblemError(securityProblems['unknown-vulnerability'], {
        detail: `No release on record fixes ${params.cve}.`,
      });
    }),
  );
};
