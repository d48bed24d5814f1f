import type { FastifyRequest } from 'fastify';
import { type ClientAddressOf, type Clock, ProblemError, type Reloadable } from '@workspace/service-kit';
import { type Address, parseAddress } from '@workspace/ip-addresses';
import type { Finding } from '../domain/fields.ts';
import type { Language } from '../domain/language.ts';
import {
  type Located,
  type Locator,
  type Operator,
  type OperatorFinder,
  UNKNOWN_OPERATOR,
  UnreadableData,
} from '../domain/locator.ts';
import type { Place } from '../domain/place.ts';
import { reservedRange } from '../domain/special-ranges.ts';
import { problems } from '../problems.ts';

export interface LookupOptions {
  cities: Reloadable<Locator>;
  operators?: Reloadable<OperatorFinder>;
  clientAddressOf: ClientAddressOf;
  clock: Clock;
}

/** What every route asks: whose address, and what is known about it. Problems are thrown. */
export class Lookup {
  readonly #options: LookupOptions;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** The data answers come from now. */
  get locator(): Locator {
    const { current } = this.#options.cities;
    if (!current) throw new ProblemError(problems['no-database'], { headers: { 'retry-after': '60' } });
    return current;
  }

  /** The address a text names; reserved ones are refused before any lookup. */
  address(text: string): Address {
    const address = parseAddress(text);
    if (!address) {
      const ip = text.slice(0, 64);
      throw new ProblemError(problems['invalid-address'], {
        detail: 'An address is a dotted quad of four decimal octets, or IPv6 without zone.',
        members: { ip },
      });
    }
    const range = reservedRange(address);
    if (range !== undefined) throw reserved(address, `${address.text} is in a reserved range: ${range}.`);
    return address;
  }

  /** The address of who is asking, reserved or not; undefined when a trusted proxy told none. */
  callerIfTold(request: FastifyRequest): Address | undefined {
    return this.#options.clientAddressOf(request.raw);
  }

  /** The same; not telling it is refused. */
  callerOrReserved(request: FastifyRequest): Address {
    const address = this.callerIfTold(request);
    if (address) return address;
    const detail = 'A trusted proxy named the caller by something that is no address.';
    throw new ProblemError(problems['unknown-caller'], { detail });
  }

  /** The public address of who is asking. */
  caller(request: FastifyRequest): Address {
    const address = this.callerOrReserved(request);
    const range = reservedRange(address);
    if (range === undefined) return address;
    throw reserved(
      address,
      `You reach this service from ${address.text}, a reserved range: ${range}. Behind a proxy, name it in TRUST_PROXY.`,
    );
  }

  find(address: Address, language: Language): Finding {
    return new Found(
      address,
      told(() => this.locator.locate(address, language)),
      this.#options,
    );
  }
}

/** A finding that looks up only when asked what most answers do not tell. */
class Found implements Finding {
  readonly address: Address;
  readonly place: Place;
  readonly prefixLength: number | null;
  readonly #options: LookupOptions;

  constructor(address: Address, { place, prefixLength }: Located, options: LookupOptions) {
    this.address = address;
    this.place = place;
    this.prefixLength = prefixLength;
    this.#options = options;
  }

  get operator(): Operator {
    return told(() => this.#options.operators?.current?.operatorOf(this.address) ?? UNKNOWN_OPERATOR);
  }

  get now(): Date {
    return this.#options.clock();
  }
}

/** What the data says; data that breaks under a lookup becomes a problem. */
function told<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof UnreadableData) throw new ProblemError(problems['lookup-failed'], { cause: error });
    throw error;
  }
}

const reserved = (address: Address, detail: string) =>
  new ProblemError(problems['reserved-address'], { detail, members: { ip: address.text, reserved: true } });
