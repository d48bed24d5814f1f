// kafkajs is used as a library of the protocol: its request tables, error codes and SASL mechanisms. Its package has no
// `exports`, so they are imported by path, and it has no types for them; this file is the only one that does so.
// @ts-expect-error no types
import protocolErrors from 'kafkajs/src/protocol/error.js';
// @ts-expect-error no types
import Decoder from 'kafkajs/src/protocol/decoder.js';
// @ts-expect-error no types
import Encoder from 'kafkajs/src/protocol/encoder.js';
// @ts-expect-error no types
import compression from 'kafkajs/src/protocol/message/compression/index.js';
// @ts-expect-error no types
import decodeBatch from 'kafkajs/src/protocol/recordBatch/v0/decoder.js';
// @ts-expect-error no types
import encodeRequest from 'kafkajs/src/protocol/request.js';
// @ts-expect-error no types
import requestTables from 'kafkajs/src/protocol/requests/index.js';
// @ts-expect-error no types
import Authenticator from 'kafkajs/src/broker/saslAuthenticator/index.js';
import type { KafkaJSProtocolError, SASLOptions } from 'kafkajs';
import { type ApiName, APIS, type ApiVersions } from './api-versions.ts';
import { type Codec, codecs } from './compression.ts';
import { readQuorumTime, writeDescribeQuorum } from './describe-quorum.ts';
import { readFetch } from './fetch-response.ts';
import type { FieldReader, FieldWriter } from './fields.ts';
import {
  type ListOffsetsOptions,
  readListOffsets4,
  readMetadata7,
  writeListOffsets4,
} from './leader-epoch.ts';

export type { KafkaJSProtocolError, SASLOptions } from 'kafkajs';

interface Encoded {
  readonly buffer: Buffer;
}

/** One request, and how to read its answer. */
export interface ProtocolRequest {
  readonly request: {
    readonly apiName: string;
    readonly apiKey: number;
    readonly apiVersion: number;
    encode(): Promise<unknown>;
  };
  readonly response: {
    decode(payload: Buffer): Promise<unknown>;
    parse(decoded: unknown): Promise<unknown>;
  };
}

interface RequestDefinition {
  protocol(options: { version: number }): (options?: unknown) => ProtocolRequest;
}

const { requests } = requestTables as { requests: Record<ApiName | 'ApiVersions', RequestDefinition> };

/** The oldest ApiVersions request, which every broker answers: what both sides support is not known before it. */
export const apiVersionsRequest = (): ProtocolRequest => requests.ApiVersions.protocol({ version: 0 })();

const newWriter = (): FieldWriter => new (Encoder as new () => FieldWriter)();
const decodeWith =
  (read: (reader: FieldReader) => unknown) =>
  async (payload: Buffer): Promise<unknown> =>
    read(new (Decoder as new (bytes: Buffer) => FieldReader)(payload));

const parseError = async (answer: unknown): Promise<unknown> => {
  const { errorCode } = answer as { errorCode: number };
  if (errorCode !== 0) throw errorOfCode(errorCode);
  return answer;
};

/** What kafkajs lacks: newer versions, made from the newest that it knows, other readers of answers, and a whole request. */
const OWN: Partial<Record<ApiName, (version: number, options: unknown) => ProtocolRequest | undefined>> = {
  Fetch: (version, options) => ({
    request: requests.Fetch.protocol({ version })(options).request,
    response: { decode: decodeWith((reader) => readFetch(reader, version)), parse: parseError },
  }),
  Metadata: (version, options) => {
    if (version < 7) return undefined;
    const { request, response } = requests.Metadata.protocol({ version: 6 })(options);
    return {
      request: { ...request, apiVersion: 7 },
      response: { ...response, decode: decodeWith(readMetadata7) },
    };
  },
  ListOffsets: (version, options) => {
    if (version < 4) return undefined;
    const { request, response } = requests.ListOffsets.protocol({ version: 3 })(options);
    const encode = async (): Promise<FieldWriter> =>
      writeListOffsets4(options as ListOffsetsOptions, newWriter);
    return {
      request: { ...request, apiVersion: 4, encode },
      response: { ...response, decode: decodeWith(readListOffsets4) },
    };
  },
  DescribeQuorum: (apiVersion) => ({
    request: {
      apiKey: APIS.DescribeQuorum.key,
      apiVersion,
      apiName: 'DescribeQuorum',
      encode: async () => writeDescribeQuorum(newWriter),
    },
    response: { decode: decodeWith(readQuorumTime), parse: parseError },
  }),
};

/** A request in a version that both sides support, see `versionOf`. */
export const protocolRequest = (api: ApiName, version: number, options: unknown): ProtocolRequest =>
  OWN[api]?.(version, options) ?? requests[api].protocol({ version })(options);

/** The bytes of a request, length and header included. */
export const encodeProtocolRequest = async (
  { request }: ProtocolRequest,
  correlationId: number,
  clientId: string,
): Promise<Buffer> => {
  const encoded = await (encodeRequest as (options: unknown) => Promise<Encoded>)({
    request,
    correlationId,
    clientId,
  });
  return encoded.buffer;
};

export const NOT_LEADER_OR_FOLLOWER = 6;

/** The broker's error by its code: `type` is its name in Kafka's documentation. */
export const errorOfCode = (code: number): KafkaJSProtocolError => {
  const error = (
    protocolErrors as { createErrorFromCode(code: number): KafkaJSProtocolError & { type: string } }
  ).createErrorFromCode(code);
  if (error.type === 'KAFKAJS_UNKNOWN_ERROR_CODE') error.type = `ERROR_CODE_${code}`;
  return error;
};

for (const [number, codec] of Object.entries(codecs)) {
  (compression as { Codecs: Record<string, () => Codec> }).Codecs[number] = () => codec;
}

/** A record as it is in the log; of headers with several values the last. */
export interface DecodedRecord {
  readonly offset: number;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Decodes a whole record batch of format 2.
 * @throws KafkaJSNotImplemented when it is compressed with a codec that is not in `CODEC`
 */
export const decodeRecordBatch = async (batch: Buffer): Promise<DecodedRecord[]> => {
  type Header = Buffer | Buffer[];
  const { records } = (await (decodeBatch as (decoder: unknown) => Promise<unknown>)(
    new (Decoder as new (bytes: Buffer) => unknown)(batch),
  )) as { records: { offset: string; value: Buffer | null; headers: Record<string, Header> }[] };
  return records.map(({ offset, value, headers }) => ({
    offset: Number(offset),
    value: value ?? Buffer.alloc(0),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, String([header].flat().at(-1) ?? '')]),
    ),
  }));
};

const silent = { debug: () => undefined, error: () => undefined, namespace: () => silent };

/**
 * Logs a connection in.
 * @param send how to send a request on it
 * @returns milliseconds until the broker wants another login; 0: never (KIP-368)
 * @throws KafkaJSSASLAuthenticationError when the broker does not take the login
 */
export const authenticate = async (
  { host, port, versions }: { host: string; port: number; versions: ApiVersions },
  sasl: SASLOptions,
  send: (request: ProtocolRequest) => Promise<unknown>,
): Promise<number> => {
  const connection = {
    host,
    port,
    sasl: { ...sasl },
    send: async (request: ProtocolRequest) => {
      const answer = await send(request);
      // kafkajs takes a challenge for success. It holds why a token is not accepted (RFC 7628, 3.2.2), behind its length.
      const { authBytes } = answer as { authBytes?: Buffer };
      if (sasl.mechanism === 'oauthbearer' && authBytes && authBytes.length > 4)
        throw new Error(authBytes.toString('utf8', 4));
      return answer;
    },
  };
  const authenticator = new (
    Authenticator as new (...options: unknown[]) => {
      authenticate(): Promise<void>;
      readonly sessionLifetime?: { toString(): string };
    }
  )(connection, silent, versions, true);
  await authenticator.authenticate();
  return Number(authenticator.sessionLifetime ?? 0);
};
