import { type Address, parseAddress } from '@workspace/ip-addresses';
import type { ClientAddressOf } from '@workspace/service-kit/client-address';
import { ProblemError } from '@workspace/service-kit/problems';
import {
  type Locate,
  type LookupResult,
  NoDatabase,
  type Precision,
  ReservedAddress,
} from '../../application/locate.ts';
import type { HostName, HostNames } from '../../application/host-names.ts';
import { UnreadableData } from '../../application/location-database.ts';
import { closestLanguage } from '../../domain/language.ts';
import { problems } from '../../problems.ts';
import type { FieldName } from './fields.ts';

export interface LookupDeps {
  /** left out: hosts have no names */
  hostNames?: HostNames | undefined;
  locate: Locate;
  clientAddressOf: ClientAddressOf;
  isTrustedProxy: (address: Address) => boolean;
}

/** The most addresses that one request may look up; streams have no limit. */
export const MAX_ADDRESSES = 100;

/** The beginning of a text that is not what it should be, as it is repeated to the client: without half a character. */
export const echo = (text: string): string => text.slice(0, 64).replace(/[\ud800-\udbff]$/, '');

/** What is wrong with a text that is no address, as far as that can be told. */
const whyInvalid = (text: string): string => {
  const numbers = text.split('.');
  if (numbers.length === 4 && numbers.every((number) => /^\d{1,20}$/.test(number))) {
    const large = numbers.find((number) => Number(number) > 255);
    if (large !== undefined) return `${large} is too large: the numbers of an IPv4 address go up to 255.`;
    const padded = numbers.find((number) => /^0./.test(number));
    if (padded !== undefined)
      return `${padded} begins with 0, which some systems read as octal: write it without.`;
  }
  if (text.includes('%') && text.includes(':')) return 'Write an IPv6 address without a zone.';
  return 'An address is four decimal numbers separated by dots, or IPv6 without a zone.';
};

/** What tells who sends a request. */
export interface CallerRequest {
  readonly raw: Parameters<ClientAddressOf>[0];
}

/** Lookups on behalf of a request. Errors are thrown as problems. */
export class Lookup {
  readonly #deps: LookupDeps;

  constructor(deps: LookupDeps) {
    this.#deps = deps;
  }

  /** Locates the address a request names. */
  address(text: string, lang: string | undefined, time: Date, precision: Precision): LookupResult {
    const address = parseAddress(text);
    if (!address) {
      throw new ProblemError(problems['invalid-address'], {
        detail: whyInvalid(text),
        members: { ip: echo(text) },
      });
    }
    try {
      return this.#deps.locate(address, closestLanguage(lang), time, precision);
    } catch (error) {
      throw problemOf(error);
    }
  }

  /** Locates the caller. */
  caller(request: CallerRequest, lang: string | undefined, time: Date, precision: Precision): LookupResult {
    const address = this.callerAddress(request);
    try {
      return this.#deps.locate(address, closestLanguage(lang), time, precision);
    } catch (error) {
      if (!(error instanceof ReservedAddress)) throw problemOf(error);
      const advice = this.isTrustedProxy(address)
        ? 'Name a public address in the path instead.'
        : 'If that is a proxy, add it to TRUST_PROXY.';
      throw problemOf(
        error,
        `You reach this service from ${address.text}, a reserved range: ${error.range}. ${advice}`,
      );
    }
  }

  /** Adds the name of the host to a result if it is one of the fields to be shown. */
  withHostname(result: LookupResult, fields: readonly FieldName[]): LookupResult | Promise<LookupResult> {
    const { hostNames } = this.#deps;
    if (hostNames === undefined || !fields.includes('hostname')) return result;
    const hostname = hostNames.find(result.host);
    if (hostname instanceof Promise) return hostname.then((name) => named(result, name));
    return named(result, hostname);
  }

  /** Whether TRUST_PROXY lists the address already. */
  isTrustedProxy(address: Address): boolean {
    return this.#deps.isTrustedProxy(address);
  }

  /** The caller's address, reserved or not; undefined when it could not be determined. */
  knownCallerAddress(request: CallerRequest): Address | undefined {
    return this.#deps.clientAddressOf(request.raw);
  }

  /** The caller's address, reserved or not. @throws ProblemError when it could not be determined */
  callerAddress(request: CallerRequest): Address {
    const address = this.knownCallerAddress(request);
    if (address) return address;
    throw new ProblemError(problems['unknown-caller'], {
      detail: 'A trusted proxy sent something that is not an address.',
    });
  }
}

const named = (result: LookupResult, hostname: HostName): LookupResult => Object.assign(result, { hostname });

/** The problem that an error of the use case is to a client; other errors stay what they are. */
export const problemOf = (error: unknown, detail?: string): unknown => {
  if (error instanceof ReservedAddress) {
    return new ProblemError(problems['reserved-address'], {
      detail: detail ?? error.message,
      members: { ip: error.address.text, reserved: true },
    });
  }
  if (error instanceof NoDatabase) {
    return new ProblemError(problems['no-database'], { headers: { 'retry-after': '60' } });
  }
  if (error instanceof UnreadableData) return new ProblemError(problems['lookup-failed'], { cause: error });
  return error;
};
