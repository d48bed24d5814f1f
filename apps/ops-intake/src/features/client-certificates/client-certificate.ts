import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Returns the principal of the certificate that a trusted proxy has checked; undefined when it sends none. */
export type PrincipalOfCertificate = (request: IncomingMessage) => string | undefined;

const PRINCIPAL = /^[\x21-\x7e]{1,255}$/;
/** Parsed certificates that are remembered: reading one takes as long as reading a whole request. */
const REMEMBERED = 1_000;

/** One certificate and nothing else: of several, such as of two headers, it is not known which one the proxy has checked. */
const PEM = /^-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/;

/**
 * A certificate as proxies send it: DER in base64 between colons (RFC 9440), or PEM with percent-encoding (nginx's
 * `$ssl_client_escaped_cert`).
 */
const certificateIn = (text: string): X509Certificate | undefined => {
  try {
    const der = /^:([A-Za-z0-9+/=]+):$/.exec(text)?.[1];
    if (der !== undefined) return new X509Certificate(Buffer.from(der, 'base64'));
    const pem = decodeURIComponent(text);
    return PEM.test(pem) ? new X509Certificate(pem) : undefined;
  } catch {
    return undefined;
  }
};

/** The first URI among the alternative names (SPIFFE), or else the common name of the subject. */
const nameOf = ({ subjectAltName, subject }: X509Certificate): string | undefined =>
  /(?:^|, )URI:([^,]+)/.exec(subjectAltName ?? '')?.[1] ?? /^CN=(.+)$/m.exec(subject)?.[1];

/**
 * @param header the header that the proxy sets on every request, so that a client cannot
 * @param isFromProxy whether the connection is one of a trusted proxy
 */
export const principalsOfCertificates = (
  header: string,
  isFromProxy: (request: IncomingMessage) => boolean,
): PrincipalOfCertificate => {
  const name = header.toLowerCase();
  const remembered = new Map<string, string | undefined>();

  return (request) => {
    const text = request.headers[name];
    if (typeof text !== 'string' || text === '' || !isFromProxy(request)) return undefined;
    if (remembered.has(text)) return remembered.get(text);
    const certificate = certificateIn(text);
    const found = certificate && nameOf(certificate);
    const principal = found !== undefined && PRINCIPAL.test(found) ? found : undefined;
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(text, principal);
    return principal;
  };
};
