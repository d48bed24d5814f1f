import { ProblemError } from '@workspace/service-kit';
import { type AnswerFields, fieldsOf } from '../../lookup/query.ts';
import { problems } from '../../../problems.ts';
import { problemBody } from '../../problem.ts';
import type { Access } from '../access.ts';
import { denialOf } from '../denial.ts';
import type { createGeoAnswer, GeoQuestion } from '../geo-answer.ts';
import { isGeoHeader } from '../geo-headers.ts';
import type { CheckRequest, CheckResponse, HeaderOption, HttpAttributes } from './contract.ts';

export interface CheckDeps extends AnswerFields {
  geoAnswer: ReturnType<typeof createGeoAnswer>;
  access: Access;
}

const PERMISSION_DENIED = 7;
const OVERWRITE = 2;

/**
 * Answers Envoy's question about one request, as `/auth` does. The proxy is not asked who it is: what it names as the source is
 * the peer, whose X-Forwarded-For counts if TRUST_PROXY lists it.
 */
export const createCheck =
  ({ geoAnswer, access, ...answerFields }: CheckDeps) =>
  ({ attributes = {} }: CheckRequest): CheckResponse => {
    const { source, request, contextExtensions: extensions = {} } = attributes;
    const sent = headersOf(request?.http);
    try {
      const { headers, decision } = geoAnswer({
        raw: rawRequest(sent, source?.address?.socketAddress?.address),
        fields: fieldsOf(extensions, answerFields),
        lang: extensions['lang'],
        rules: access.rulesOf({ ...extensions, dry_run: dryRunOf(extensions['dry_run']) }),
      });
      const metadata = decision && { decision: decision.outcome, reason: decision.reason };
      if (decision?.outcome === 'deny') return { ...denied(denialOf({})), ...dynamic(metadata) };
      return { ...admitted(headers, Object.keys(sent)), ...dynamic(metadata) };
    } catch (error) {
      // Mistakes in the proxy's configuration admit no one, whatever it does when this service fails.
      if (error instanceof ProblemError && error.kind.status < 500) return denied(error);
      throw error;
    }
  };

const dryRunOf = (text = 'false'): boolean => {
  if (text === 'false') return false;
  if (text === 'true') return true;
  throw new ProblemError(problems['invalid-rules'], { detail: 'dry_run must be true or false.' });
};

/** Headers by their names; later values of a name are appended, as Node does. */
const headersOf = ({ headers = {}, headerMap }: HttpAttributes = {}): Readonly<Record<string, string>> => {
  const all: Record<string, string> = Object.assign(Object.create(null), headers);
  for (const { key = '', value, rawValue } of headerMap?.headers ?? []) {
    const text = value ?? String(rawValue === undefined ? '' : Buffer.from(rawValue));
    all[key] = key in all ? `${all[key]}, ${text}` : text;
  }
  return all;
};

const rawRequest = (headers: Readonly<Record<string, string>>, remoteAddress: string | undefined) =>
  ({ headers, socket: { remoteAddress } }) as GeoQuestion['raw'];

/** Overwrites what a visitor has sent: by a value, or by removing the header. */
const admitted = (headers: Readonly<Record<string, string>>, sent: readonly string[]): CheckResponse => {
  const set = Object.entries(headers).filter(([, value]) => value !== '');
  const names = new Set(set.map(([name]) => name));
  return {
    status: { code: 0 },
    okResponse: {
      headers: options(set),
      headersToRemove: sent.filter((name) => isGeoHeader(name) && !names.has(name)),
    },
  };
};

const denied = (problem: ProblemError): CheckResponse => ({
  status: { code: PERMISSION_DENIED },
  deniedResponse: {
    status: { code: problem.kind.status },
    headers: options([
      ['content-type', 'application/json'],
      ['cache-control', 'no-store'],
    ]),
    body: JSON.stringify(problemBody(problem.toProblem())),
  },
});

const options = (headers: readonly (readonly [string, string])[]): HeaderOption[] =>
  headers.map(([key, value]) => ({ header: { key, value }, appendAction: OVERWRITE }));

/** For the proxy's log: `%DYNAMIC_METADATA(envoy.filters.http.ext_authz:reason)%`. */
const dynamic = (values: Readonly<Record<string, string>> | undefined): Partial<CheckResponse> =>
  values === undefined
    ? {}
    : {
        dynamicMetadata: {
          fields: Object.fromEntries(
            Object.entries(values).map(([name, stringValue]) => [name, { stringValue }]),
          ),
        },
      };
