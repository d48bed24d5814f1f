import { type Static, Type } from '@sinclair/typebox';
import { CveId } from '@workspace/release-catalogue';
import { defineProblems, ProblemError } from '@workspace/service-kit/problems';
import { isSupported } from '../../domain/support-state.ts';
import { vulnerabilities, type Vulnerability } from './vulnerability.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { knownBranchOfQuery, OptionalBranch } from '../../http/rendering/known-branch.ts';
import { answerWithMany, Many } from '../../http/api/envelope.ts';
import { Osv, osvRecord } from './osv.ts';

export const securityProblems = defineProblems({
  'unknown-vulnerability': {
    status: 404,
    title: 'Unknown vulnerability',
    advice: 'Use a CVE of `/api/v1/security`',
  },
});

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

export const apiSecurity = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'security',
      tags,
      summary: 'Vulnerabilities: since which release each is fixed, and which supported releases have it',
      querystring: OptionalBranch,
      problems: [problems['unknown-branch']],
      response: json(Vulnerabilities),
    },
    (snapshot, cache) =>
      ({ query }) => {
        const { catalogue, builtAt, lastModified } = snapshot;
        const file = knownBranchOfQuery(snapshot, query);
        return cache.get(`security ${file?.branch ?? ''}`, () => {
          const found = vulnerabilities(file ? { branches: [file] } : catalogue);
          const fixed = found.filter(({ branches }) => branches.length > 0);
          const items = fixed.map((one) => vulnerabilityView(one, builtAt, answers.site.baseUrl));
          return answerWithMany(Vulnerabilities, lastModified, items);
        });
      },
  );

/** One vulnerability as OSV writes it. */
export const apiVulnerability = (answers: Answers, path: `${string}:cve`): void =>
  answers.route(
    path,
    {
      operationId: 'vulnerability',
      tags,
      summary: 'One vulnerability in the format of OSV',
      params: Type.Object({ cve: CveId }),
      problems: [securityProblems['unknown-vulnerability']],
      response: json(Osv),
    },
    ({ catalogue }, cache) => {
      // Made for the first request: most instances are never asked.
      let known: ReadonlyMap<string, Vulnerability> | undefined;
      return ({ params: { cve } }) => {
        known ??= new Map(vulnerabilities(catalogue).map((found) => [found.cve, found]));
        const found = known.get(cve);
        if (!found)
          throw new ProblemError(securityProblems['unknown-vulnerability'], {
            detail: `No release on record fixes ${cve}.`,
          });
        return cache.get(`osv ${cve}`, () => jsonRepresentation(Osv, osvRecord(found, answers.site.baseUrl)));
      };
    },
  );
