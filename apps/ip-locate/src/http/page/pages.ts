import Negotiator from 'negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '@workspace/schemas';
import { ProblemError, type ProblemPage, wayToRoot } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import type { Databases } from '../../application/location-database.ts';
import { closestLanguage, type Language, languageOf } from '../../domain/language.ts';
import type { ApiKeyAccess, PrecisionOf } from '../rate-limit.ts';
import { PUBLIC_HEADERS } from '../headers.ts';
import { attributionsOf } from '../lookup/attribution.ts';
import { type FieldName, valuesOf } from '../lookup/fields.ts';
import { echo, type Lookup } from '../lookup/lookup.ts';
import type { DrawMap, Entry, Subject } from './content.ts';
import { indexPage } from './index-page.ts';
import type { OtherAddresses } from './other-addresses.ts';
import { PAGE_POLICY, policyWith } from './style.ts';

export interface PagesDeps extends Databases {
  lookup: Lookup;
  version: string;
  clock: Clock;
  precisionOf: PrecisionOf;
  /** those that a page may show */
  allFields: readonly FieldName[];
  /** links carry on the key in the URL; undefined without keys */
  apiKeys: Pick<ApiKeyAccess, 'inQuery'> | undefined;
  otherAddresses: OtherAddresses | undefined;
}

const HEADERS = { 'content-security-policy': PAGE_POLICY, 'referrer-policy': 'no-referrer' } as const;

/** Pages for people. */
export class Pages {
  readonly #deps: PagesDeps;

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** Answers with the page about a subject: 400 for one address that has no location. Caches must not store it. */
  async send(request: FastifyRequest, reply: FastifyReply, subject: Subject): Promise<FastifyReply> {
    // The outlines of all countries take a megabyte: they are loaded for the first page, not for the start.
    const { worldMap } = await import('./world-map.ts');
    const otherAddresses = subject.type === 'caller' ? this.#deps.otherAddresses : undefined;
    return reply
      .code(subject.type === 'address' && 'problem' in subject.entry ? 400 : 200)
      .headers({
        ...PUBLIC_HEADERS,
        ...HEADERS,
        ...(otherAddresses && { 'content-security-policy': policyWith(otherAddresses) }),
        'cache-control': 'private, no-store',
        'content-type': 'text/html; charset=utf-8',
      })
      .send(this.#htmlOf(request, subject, worldMap, otherAddresses));
  }

  /** Answers with the page of an address. @throws ProblemError when it has no location */
  sendAddress(
    request: FastifyRequest,
    reply: FastifyReply,
    { ip, time }: { ip: string; time: Date },
  ): Promise<FastifyReply> {
    const { lookup, precisionOf } = this.#deps;
    const result = lookup.address(ip, this.languageFor(request), time, precisionOf(request));
    const entry = { ip: result.address.text, values: valuesOf(result, this.#deps.allFields) };
    return this.send(request, reply, { type: 'address', entry });
  }

  /** The language of a page: `lang` in the URL, or else the one that the browser likes best. */
  languageFor(request: FastifyRequest): Language {
    const asked = langIn(request);
    if (asked !== undefined) return closestLanguage(asked);
    const accepted = new Negotiator(request.raw).languages();
    return accepted.map(languageOf).find((language) => language !== undefined) ?? 'en';
  }

  /** One address of a list, or the reason why it has no location. */
  entryOf(request: FastifyRequest, ip: string, time: Date, language: Language): Entry {
    const { lookup, precisionOf } = this.#deps;
    try {
      const result = lookup.address(ip, language, time, precisionOf(request));
      return { ip: result.address.text, values: valuesOf(result, this.#deps.allFields) };
    } catch (error) {
      if (error instanceof ProblemError) return { ip: echo(ip), problem: error.message };
      throw error;
    }
  }

  /** The page of a problem, with the forms to go on with. */
  ofProblem(problem: Problem & { ip?: unknown }, request: FastifyRequest): ProblemPage {
    const { title, detail = title, ip } = problem;
    const subject: Subject =
      typeof ip === 'string'
        ? { type: 'address', entry: { ip, problem: detail } }
        : { type: 'problem', problem, url: request.originalUrl };
    return { html: this.#htmlOf(request, subject), headers: HEADERS };
  }

  #htmlOf(
    request: FastifyRequest,
    subject: Subject,
    drawMap?: DrawMap,
    otherAddresses?: OtherAddresses,
  ): string {
    const { locations, version, clock, apiKeys } = this.#deps;
    return indexPage({
      subject,
      host: request.host,
      version,
      attributions: attributionsOf(this.#deps),
      builtAt: locations.current?.info.builtAt ?? null,
      now: clock(),
      // The URL that was asked for: `request.url` is without what /auth takes off.
      root: wayToRoot(request.originalUrl),
      key: apiKeys?.inQuery(request.query),
      lang: langIn(request),
      language: this.languageFor(request),
      drawMap,
      otherAddresses,
    });
  }
}

/** What the URL asks for; undefined: nothing, or not once. */
const langIn = ({ query }: FastifyRequest): string | undefined => {
  const { lang } = query as { lang?: unknown };
  return typeof lang === 'string' ? lang : undefined;
};
