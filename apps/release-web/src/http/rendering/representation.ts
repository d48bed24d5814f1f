import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Encoding } from '@workspace/service-kit';

/** A representation in one content encoding, ready to be sent. */
export interface Variant {
  readonly body: Buffer;
  /** the same with a character for each byte, which Node writes faster; undefined for long bodies */
  readonly text: string | undefined;
  /** strong: differs by encoding */
  readonly etag: string;
}

export interface RepresentationOptions {
  /** always sent in full: a conditional request for it gets 200, never 304 */
  readonly isUnconditional?: boolean;
  /** the Content-Security-Policy of a page */
  readonly policy?: string;
  /** the Link header */
  readonly link?: string | undefined;
}

/** The strongest level within reason, for bodies that are compressed once and sent for days. */
const THOROUGH = {
  // Brotli 9 costs a tenth of 11 and gives bodies 5 % larger: the first request for a body waits for it.
  brotli: 9,
  gzip: 9,
};

/** For bodies that depend on parameters, which few requests ask for. */
const QUICK = { brotli: 4, gzip: 6 };

/** For short bodies of that kind: Brotli 4 would take three times as long to save 35 bytes. */
const QUICKEST = { brotli: 2, gzip: 6 };
const SHORT_BYTES = 1024;

/** Node writes texts of this length, head included, without allocating memory for their bytes. */
const TEXT_BYTES = 15_360;

/** A body in every content encoding it is sent in, with validators. Immutable; compressed when first asked for. */
export class Representation {
  readonly contentType: string;
  readonly isUnconditional: boolean;
  readonly policy: string | undefined;
  readonly link: string | undefined;
  readonly #digest: string;
  readonly #variants = new Map<Encoding, Variant>();
  readonly #body: Buffer;
  #level: typeof QUICK;
  #showsToday = false;

  constructor(
    contentType: string,
    text: string,
    { isUnconditional = false, policy, link }: RepresentationOptions = {},
  ) {
    this.contentType = contentType;
    this.isUnconditional = isUnconditional;
    this.policy = policy;
    this.link = link;
    this.#body = Buffer.from(text);
    this.#level = this.size < SHORT_BYTES ? QUICKEST : QUICK;
    this.#digest = createHash('sha256')
      .update(contentType)
      .update('\n')
      .update(this.#body)
      .digest('base64url')
      .slice(0, 22);
  }

  /** Bytes of the body without a content encoding. */
  get size(): number {
    return this.#body.length;
  }

  variant(encoding: Encoding): Variant {
    const known = this.#variants.get(encoding);
    if (known) return known;
    const body = this.#encode(encoding);
    const text = body.length <= TEXT_BYTES ? body.toString('latin1') : undefined;
    const variant = Object.freeze({ body, text, etag: this.#etag(encoding) });
    this.#variants.set(encoding, variant);
    return variant;
  }

  /** To be compressed well, because many requests will ask for it. @returns itself */
  popular(): this {
    this.#level = THOROUGH;
    return this;
  }

  /** To be sent until midnight (UTC) at most. @returns itself */
  today(): this {
    this.#showsToday = true;
    return this;
  }

  get showsToday(): boolean {
    return this.#showsToday;
  }

  #etag(encoding: Encoding): string {
    return encoding === 'identity' ? `"${this.#digest}"` : `"${this.#digest}-${encoding}"`;
  }

  #encode(encoding: Encoding): Buffer {
    if (encoding === 'identity') return this.#body;
    if (encoding === 'gzip') return gzipSync(this.#body, { level: this.#level.gzip });
    return brotliCompressSync(this.#body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: this.#level.brotli,
        // No body is longer than this window of 256 kB; the default one of 4 MB only costs memory.
        [constants.BROTLI_PARAM_LGWIN]: 18,
        [constants.BROTLI_PARAM_SIZE_HINT]: this.#body.length,
      },
    });
  }
}
