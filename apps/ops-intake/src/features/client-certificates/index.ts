import { Type } from '@sinclair/typebox';
import { createIsFromTrustedProxy } from '@workspace/service-kit/client-address';
import { option } from '../../extension-points.ts';
import { principalsOfCertificates } from './client-certificate.ts';

/** Clients authenticate by certificates that a trusted proxy has checked. */
export const clientCertificates = option({
  name: 'client-certificates',
  settings: {
    AUTH_CLIENT_CERT_HEADER: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,64}$',
        description:
          'header in which a trusted proxy sends the client’s certificate that it has verified, such as `client-cert` (RFC 9440)',
      }),
    ),
  },
  credentials: ['AUTH_CLIENT_CERT_HEADER'],
  violations: ({ AUTH_CLIENT_CERT_HEADER, TRUST_PROXY }) =>
    AUTH_CLIENT_CERT_HEADER && TRUST_PROXY === ''
      ? ['AUTH_CLIENT_CERT_HEADER is only read from trusted proxies: set TRUST_PROXY too']
      : [],
  open: (config) => {
    const { AUTH_CLIENT_CERT_HEADER: header } = config;
    if (header === undefined) return undefined;
    const principalOf = principalsOfCertificates(header, createIsFromTrustedProxy(config));
    return {
      authenticator: {
        identify: ({ raw }) => {
          const principal = principalOf(raw);
          return principal === undefined ? undefined : { principal, type: 'service_account' };
        },
        problems: [],
        schemes: {
          clientCertificate: { type: 'mutualTLS', description: 'one that the proxy in front verifies' },
        },
      },
    };
  },
});
