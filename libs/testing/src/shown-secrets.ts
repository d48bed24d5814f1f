import type { TObject, TSchema } from '@sinclair/typebox';

const SECRET = 's3cret';
/** What people put into a setting, the wrong one included. */
const VALUES = [
  SECRET,
  `user:${SECRET}@host:9092`,
  `${SECRET}@host:9092`,
  `SASL_SSL://user:${SECRET}@host:9092`,
  `https://user:${SECRET}@host/path`,
  `https://${SECRET}@host/?query#fragment`,
  `redis://:${SECRET}@one,two`,
  `postgres://intake:${SECRET}@one,two/keys`,
  `host:9092,${SECRET} ${SECRET}`,
  `ip,${SECRET}`,
  `[${SECRET}]:9092`,
  `name=${SECRET},`,
  `${SECRET}:token-of-someone,${SECRET}:token-of-another`,
  `-----BEGIN PRIVATE KEY-----\n${SECRET}\n`,
];

/**
 * Settings whose value is in the message of an environment that is rejected, each with that value. A bare word in a setting
 * that takes no text is left out: `PORT must be an integer, not "abc"`.
 * @param read throws that message
 */
export const shownSecrets = (
  schema: TObject,
  read: (env: Record<string, string>) => unknown,
): [name: string, value: string][] => {
  const isText = (property: TSchema): boolean => property['type'] === 'string' && !('const' in property);
  const shows = (env: Record<string, string>): boolean => {
    try {
      read(env);
      return false;
    } catch (error) {
      return (error as Error).message.includes(SECRET);
    }
  };
  return Object.entries(schema.properties).flatMap(([name, property]) =>
    VALUES.filter((value) => (isText(property) || value !== SECRET) && shows({ [name]: value })).map(
      (value): [string, string] => [name, value],
    ),
  );
};
