import { httpText } from '@workspace/http-client';
import type { SASLOptions } from '../wire/kafkajs-protocol.ts';

/** A token for Kafka's OAUTHBEARER, and until when it counts, in milliseconds since 1970. */
interface BrokerToken {
  readonly value: string;
  readonly expiresAt: number;
}

/** A token is replaced when this share of its life is over. */
const RENEW_AT = 0.8;
/** Until then it is used while there is no newer one: issuers count in whole seconds, and clocks differ. */
const USED_UNTIL = 0.95;
const TIMEOUT_MS = 5_000;
/** Far longer than any token. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Where an issuer does not say how long its token counts. */
const DEFAULT_LIFE_SECONDS = 300;
/** A token is replaced after that, whatever the issuer says: Kafka may count it for less. */
const MAX_LIFE_SECONDS = 86_400;
/** What a token consists of (RFC 6749, appendix A.12); anything else would end Kafka's message. */
const TOKEN = /^[\x20-\x7e]+$/;

/** Milliseconds by the wall clock, which may be set back, and by the monotonic one, which stands still while a machine sleeps. */
const clocks = (): number[] => [Date.now(), performance.now()];

/**
 * One token for all connections, renewed before it expires by either clock. It stays in use almost until then while a newer one
 * is late or cannot be had. A failure is not remembered.
 */
const shared = (newToken: () => Promise<BrokerToken>): (() => Promise<{ value: string }>) => {
  let token: BrokerToken | undefined;
  let askedAt: number[] = [];
  let asking: Promise<BrokerToken> | undefined;

  const ask = async (): Promise<BrokerToken> => {
    const now = clocks();
    token = await newToken();
    askedAt = now;
    return token;
  };
  /** Whether less than this share of the token's life is over. */
  const isWithin = ({ expiresAt }: BrokerToken, share: number): boolean =>
    clocks().every((time, at) => time - askedAt[at]! < share * (expiresAt - askedAt[0]!));

  return async () => {
    if (token && isWithin(token, RENEW_AT)) return token;
    asking ??= ask().finally(() => (asking = undefined));
    if (!token || !isWithin(token, USED_UNTIL)) return asking;
    asking.catch(() => undefined);
    return token;
  };
};

export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string | undefined;
}

/** RFC 6749 asks for this encoding of the id and the secret before they are joined. */
const formEncoded = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');

const tokenByCredentials = async (read: () => Promise<ClientCredentials>): Promise<BrokerToken> => {
  const { tokenUrl, clientId, clientSecret, scope } = await read();
  const login = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
  });
  const request = {
    headers: {
      authorization: `Basic ${login}`,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs: TIMEOUT_MS,
  };
  const { status, text } = await httpText(tokenUrl, request).catch((error: Error) => {
    throw new Error(`token endpoint: ${error.message}`, { cause: error });
  });
  const { access_token: value, expires_in: life, error } = objectIn(text);
  if (status < 200 || status > 299 || typeof value !== 'string' || !TOKEN.test(value)) {
    throw new Error(`token endpoint: ${status} ${typeof error === 'string' ? error : 'no token'}`);
  }
  // Some issuers write it as text.
  const seconds = typeof life === 'string' ? Number(life) : (life ?? DEFAULT_LIFE_SECONDS);
  if (typeof seconds !== 'number' || !(seconds > 0)) {
    throw new Error(`token endpoint: ${status} with the life ${JSON.stringify(life)} of the token`);
  }
  return { value, expiresAt: Date.now() + Math.min(seconds, MAX_LIFE_SECONDS) * 1_000 };
};

const objectIn = (text: string): { access_token?: unknown; expires_in?: unknown; error?: unknown } => {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
};

const bearerLogin = (newToken: () => Promise<BrokerToken>): (() => Promise<SASLOptions>) => {
  const login: SASLOptions = { mechanism: 'oauthbearer', oauthBearerProvider: shared(newToken) };
  return async () => login;
};

/**
 * Logs in by OAUTHBEARER with a token that the issuer gives for client credentials (RFC 6749, 4.4).
 * @param credentials asked for each token
 */
export const oauthLogin = (credentials: () => Promise<ClientCredentials>): (() => Promise<SASLOptions>) =>
  bearerLogin(() => tokenByCredentials(credentials));

/**
 * Logs in to Amazon MSK by IAM: a signed request as OAUTHBEARER token. The credentials are those that the AWS SDK finds:
 * environment, web identity, container or instance role.
 */
export const awsLogin = (region: string): (() => Promise<SASLOptions>) =>
  bearerLogin(async () => {
    // Loaded when it is needed: the SDK is larger than this service.
    const { newMskToken } = await import('./msk-token.ts');
    return newMskToken(region);
  });
