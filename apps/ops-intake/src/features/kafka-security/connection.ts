import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { awsLogin, type KafkaSettings, oauthLogin } from '@workspace/kafka-producer';
import type { BrokerConnection } from '../../extension-points.ts';
import type { SecuritySettings } from './settings.ts';

type PemVariable = 'KAFKA_SSL_CA_FILE' | 'KAFKA_SSL_CERT_FILE' | 'KAFKA_SSL_KEY_FILE';
type SecretName = 'KAFKA_SASL_USERNAME' | 'KAFKA_SASL_PASSWORD' | 'KAFKA_SSL_KEY_PASSPHRASE';
/** A secret as it is now. */
export type CurrentSecret = (name: SecretName) => Promise<string | undefined>;

/** What to set where a listener is another one than the settings say. */
const ADVICE: NonNullable<KafkaSettings['advice']> = {
  'tls-wanted': 'set KAFKA_SSL=true',
  'no-tls': 'set KAFKA_SSL=false, or the address of a listener with TLS',
  authority: 'set KAFKA_SSL_CA_FILE to the certificate of its authority',
  'host-name': 'use a name that the certificate has, in KAFKA_BOOTSTRAP_SERVERS and advertised.listeners',
  'client-certificate': 'set KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE to a certificate that it trusts',
  'login-wanted': 'set KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
  'no-login': 'unset KAFKA_SASL_MECHANISM, or set the address of a listener with SASL',
  mechanism: 'set KAFKA_SASL_MECHANISM to one of them',
  credentials: 'check KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
};

/** The text of a PEM file. @throws why it cannot be read, without its path, in the place of which someone may have put the key */
const readPem = async (config: SecuritySettings, variable: PemVariable): Promise<string | undefined> => {
  const file = config[variable];
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch(({ message }: Error) => {
    throw new Error(`${variable}: ${message.split(',')[0]}`);
  });
};

const certificateIn = (variable: PemVariable, pem: string): X509Certificate => {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error(`${variable} has no certificate in PEM format`);
  }
};

const keyIn = (key: string, passphrase: string | undefined) => {
  try {
    return createPrivateKey({ key, passphrase });
  } catch {
    if (!key.includes('ENCRYPTED')) throw new Error('KAFKA_SSL_KEY_FILE has no private key in PEM format');
    if (passphrase === undefined)
      throw new Error('KAFKA_SSL_KEY_FILE is encrypted: set KAFKA_SSL_KEY_PASSPHRASE');
    throw new Error('KAFKA_SSL_KEY_PASSPHRASE is not the passphrase of KAFKA_SSL_KEY_FILE');
  }
};

/** The system's authorities and those of NODE_EXTRA_CA_CERTS; undefined, for Node's own, where the system has none. */
const systemAuthorities = (): string[] | undefined => {
  const system = tls.getCACertificates('system');
  return system.length === 0 ? undefined : [...new Set([...system, ...tls.getCACertificates('extra')])];
};

/** @returns what TLS needs, by the files as they are when a connection opens: certificates are renewed while the service runs */
const readTls = (config: SecuritySettings, secret: CurrentSecret) => {
  /** Made anew when a file has changed: with the system's authorities, that takes some ten milliseconds. */
  let last: { from: string; secureContext: tls.SecureContext } | undefined;
  return async (): Promise<tls.ConnectionOptions> => {
    const ca = await readPem(config, 'KAFKA_SSL_CA_FILE');
    const cert = await readPem(config, 'KAFKA_SSL_CERT_FILE');
    const key = await readPem(config, 'KAFKA_SSL_KEY_FILE');
    const passphrase = await secret('KAFKA_SSL_KEY_PASSPHRASE');
    const from = JSON.stringify([ca, cert, key, passphrase]);
    if (last?.from !== from) {
      if (ca !== undefined) certificateIn('KAFKA_SSL_CA_FILE', ca);
      if (cert !== undefined && key !== undefined) {
        const isPair = certificateIn('KAFKA_SSL_CERT_FILE', cert).checkPrivateKey(keyIn(key, passphrase));
        if (!isPair) throw new Error('KAFKA_SSL_KEY_FILE is not the key of KAFKA_SSL_CERT_FILE');
      }
      last = {
        from,
        secureContext: tls.createSecureContext({ ca: ca ?? systemAuthorities(), cert, key, passphrase }),
      };
    }
    return { secureContext: last.secureContext };
  };
};

/** The login, by the secrets as they are when a connection opens. `violationsOf` has checked that they are there. */
const loginOf = (config: SecuritySettings, secret: CurrentSecret): KafkaSettings['sasl'] => {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_OAUTH_TOKEN_URL: tokenUrl = '',
    KAFKA_SASL_OAUTH_SCOPE: scope,
    KAFKA_SASL_AWS_REGION: region = '',
  } = config;
  const read = async () => ({
    username: (await secret('KAFKA_SASL_USERNAME')) ?? '',
    password: (await secret('KAFKA_SASL_PASSWORD')) ?? '',
  });
  if (mechanism === undefined) return undefined;
  if (mechanism === 'aws-msk-iam') return awsLogin(region);
  if (mechanism !== 'oauthbearer') return async () => ({ mechanism, ...(await read()) });
  return oauthLogin(async () => {
    const { username: clientId, password: clientSecret } = await read();
    return { tokenUrl, clientId, clientSecret, scope };
  });
};

/**
 * TLS and the login to Kafka. Certificates, keys and secrets in files are read again for each connection.
 * @throws what is wrong with one of them now, by the name of its variable
 */
export const connectionOf = async (
  config: SecuritySettings,
  secret: CurrentSecret,
): Promise<BrokerConnection> => {
  const ssl = config.KAFKA_SSL ? readTls(config, secret) : undefined;
  await ssl?.();
  const sasl = loginOf(config, secret);
  return { advice: ADVICE, ...(ssl && { ssl }), ...(sasl && { sasl }) };
};
