import { type Static, type TObject, Type } from '@sinclair/typebox';
import { onlyWith, secret } from '@workspace/schemas';
import { httpUrl } from '@workspace/service-process';
import { optionalText } from '../../settings.ts';

export const settings = {
  KAFKA_SSL: Type.Boolean({ default: false, description: 'use TLS to the brokers' }),
  ...onlyWith('KAFKA_SSL', {
    KAFKA_SSL_CA_FILE: optionalText(
      'PEM file of the certificate authority of the brokers; the system’s authorities when unset, and Node’s where the system has none',
    ),
    KAFKA_SSL_CERT_FILE: optionalText('PEM file of this client’s certificate, for mutual TLS'),
    KAFKA_SSL_KEY_FILE: optionalText('PEM file of this client’s private key, for mutual TLS'),
  }),
  ...onlyWith('KAFKA_SSL_KEY_FILE', {
    KAFKA_SSL_KEY_PASSPHRASE: secret('passphrase of KAFKA_SSL_KEY_FILE, if that is encrypted'),
  }),
  KAFKA_SASL_MECHANISM: Type.Optional(
    Type.Union(
      [
        Type.Literal('plain'),
        Type.Literal('scram-sha-256'),
        Type.Literal('scram-sha-512'),
        Type.Literal('oauthbearer'),
        Type.Literal('aws-msk-iam'),
      ],
      {
        description:
          'login mechanism: `plain`, `scram-sha-256`, `scram-sha-512`, `oauthbearer` or `aws-msk-iam`; no login when unset',
      },
    ),
  ),
  ...onlyWith('KAFKA_SASL_MECHANISM', {
    KAFKA_SASL_USERNAME: secret('user to log in as; for `oauthbearer` the client id'),
    KAFKA_SASL_PASSWORD: secret('password of that user; for `oauthbearer` the client secret'),
    KAFKA_SASL_OAUTH_TOKEN_URL: Type.Optional(
      httpUrl('for `oauthbearer`: where the issuer gives tokens for client credentials'),
    ),
    KAFKA_SASL_OAUTH_SCOPE: optionalText('for `oauthbearer`: scope to ask for'),
    KAFKA_SASL_AWS_REGION: optionalText('for `aws-msk-iam`: region of the cluster, such as `eu-central-1`'),
  }),
};
export type SecuritySettings = Static<TObject<typeof settings>>;
