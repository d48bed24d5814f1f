/** In what a broker's listener and the settings of this client differ. */
export type Mismatch =
  | 'tls-wanted'
  | 'no-tls'
  /** the broker has its certificate from an authority that is not trusted here */
  | 'authority'
  /** the broker's certificate has other names */
  | 'host-name'
  /** the broker wants one, or another one */
  | 'client-certificate'
  | 'login-wanted'
  | 'no-login'
  | 'mechanism'
  | 'credentials';

/** The message says what the listener wants, and what to set. */
export class BrokerMismatch extends Error {
  override readonly name = 'BrokerMismatch';
}

/** What failed a connection, as sockets, OpenSSL and kafkajs say it. */
export type ConnectionFailure = Error & {
  code?: string | number;
  type?: string;
  /** OpenSSL's words without the place in its source */
  reason?: string;
  /** what a broker takes that does not take the mechanism */
  enabledMechanisms?: readonly string[];
};

/** The code of a failure: the broker answered by a record of TLS. */
export const TLS_RECORD = 'TLS_RECORD';
/** The code of a failure: the broker ended the connection when it got the first request that needs a login. */
export const CLOSED_UNANSWERED = 'CLOSED_UNANSWERED';

const CODES: readonly (readonly [Mismatch, RegExp])[] = [
  ['tls-wanted', /^TLS_RECORD$/],
  ['no-tls', /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/],
  ['authority', /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/],
  ['host-name', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ['client-certificate', /^ERR_SSL_.*ALERT_(.*CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/],
  ['login-wanted', /^CLOSED_UNANSWERED$/],
  ['no-login', /^ILLEGAL_SASL_STATE$/],
  ['mechanism', /^UNSUPPORTED_SASL_MECHANISM$/],
  ['credentials', /^(SASL_AUTHENTICATION_FAILED|KafkaJSSASLAuthenticationError)$/],
];

const mismatchOf = ({ code, type, name, message }: ConnectionFailure): Mismatch | undefined => {
  // Node's words for a handshake that the other side has ended.
  if (code === 'ECONNRESET' && message.includes('before secure TLS')) return 'no-tls';
  const known = [code, type, name].map(String);
  return CODES.find(([, pattern]) => known.some((word) => pattern.test(word)))?.[0];
};

const wordsOf = (mismatch: Mismatch, failure: ConnectionFailure): string => {
  const { message, reason, enabledMechanisms = [] } = failure;
  switch (mismatch) {
    case 'tls-wanted':
      return 'the listener speaks TLS';
    case 'no-tls':
      return 'the listener does not speak TLS, or has ended the handshake';
    case 'client-certificate':
      return `the listener does not accept the client's certificate, or wants one (${reason})`;
    case 'login-wanted':
      return 'the listener closed the connection without an answer: it may want a login';
    case 'no-login':
      return 'the listener takes no login (ILLEGAL_SASL_STATE)';
    case 'mechanism':
      return `the listener takes ${enabledMechanisms.join(', ') || 'other mechanisms'} (UNSUPPORTED_SASL_MECHANISM)`;
    case 'authority':
      // Node adds what can be done about Node.
      return message.split(';')[0]!;
    default:
      return message;
  }
};

/**
 * A failure as an operator understands it, where it shows that settings do not fit the listener; any other as it is.
 * @param advice what to set, by mismatch
 */
export const explainFailure = (
  failure: ConnectionFailure,
  broker: string,
  advice: Readonly<Partial<Record<Mismatch, string>>> = {},
): Error => {
  const mismatch = mismatchOf(failure);
  if (mismatch === undefined) return failure;
  const what = advice[mismatch] === undefined ? '' : `; ${advice[mismatch]}`;
  return new BrokerMismatch(`${broker}: ${wordsOf(mismatch, failure)}${what}`);
};
