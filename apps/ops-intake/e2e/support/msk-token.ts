import { createHash, createHmac } from 'node:crypto';

/** What Amazon knows of a caller. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Checks a token as Amazon MSK does: a URL that asks for `kafka-cluster:Connect`, presigned by Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html), valid for 15 minutes.
 * Written by the specification and not by Amazon's signer, so that a mistake there is not repeated here.
 * @throws why it is rejected
 */
export const checkMskToken = (token: string, region: string, credentials: AwsCredentials): void => {
  const url = new URL(Buffer.from(token, 'base64url').toString());
  const query = url.searchParams;
  const date = query.get('X-Amz-Date') ?? '';
  const scope = `${date.slice(0, 8)}/${region}/kafka-cluster/aws4_request`;
  const expected = {
    Action: 'kafka-cluster:Connect',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': credentials.sessionToken,
    'X-Amz-SignedHeaders': 'host',
  };
  const host = `kafka.${region}.amazonaws.com`;
  if (url.protocol !== 'https:' || url.host !== host || url.pathname !== '/') throw new Error(url.origin);
  for (const [name, value] of Object.entries(expected)) {
    if (query.get(name) !== value) throw new Error(name);
  }
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const age = Date.now() - Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (!(age > -60_000 && age < 900_000)) throw new Error('expired');

  const canonicalQuery = Object.keys(expected)
    .concat('X-Amz-Date')
    .sort()
    .map((name) => `${encoded(name)}=${encoded(String(query.get(name)))}`)
    .join('&');
  const request = ['GET', '/', canonicalQuery, `host:${host}`, '', 'host', sha256('')].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  if (query.get('X-Amz-Signature') !== createHmac('sha256', key).update(toSign).digest('hex')) {
    throw new Error('signature');
  }
};
