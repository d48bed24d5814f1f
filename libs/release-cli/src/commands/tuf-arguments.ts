import { parseArgs } from 'node:util';
import { DEFAULT_DAYS, type Expiry } from '../tuf/edits.ts';
import { publicKeyOf, type Sign, signWithCommand, signWithFile } from '../tuf/keys.ts';
import { type Role, ROLES } from '../tuf/repository.ts';
import { type CliContext, UsageError } from '../terminal.ts';

export const OPTIONS = {
  data: { type: 'string' },
  add: { type: 'string', multiple: true },
  remove: { type: 'string', multiple: true },
  threshold: { type: 'string', multiple: true },
  export: { type: 'string' },
  key: { type: 'string' },
  'sign-with': { type: 'string' },
  signed: { type: 'string' },
  'expires-in': { type: 'string' },
  within: { type: 'string', default: '1' },
  root: { type: 'string' },
  state: { type: 'string' },
} as const;

export type Values = ReturnType<typeof parse>['values'];
export const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true });

const MOST_DAYS = 3650;

export const signOf = (values: Values): Sign => {
  if ((values.key === undefined) === (values['sign-with'] === undefined))
    throw new UsageError('Give either --key or --sign-with.');
  return values.key === undefined ? signWithCommand(values['sign-with']!) : signWithFile(values.key);
};

export const roleAnd = (text: string): [Role, string] => {
  const [name, ...value] = text.split('=');
  const role = ROLES.find((one) => one === name);
  if (!role || value.length === 0)
    throw new UsageError(`"${text}" is not a role and a value, like targets=alice.pub.`);
  return [role, value.join('=')];
};

export const keyIdOf = (text: string): string =>
  /^[0-9a-f]{8,64}$/.test(text) ? text : publicKeyOf(text).keyID;

export const countOf = (text: string): number => {
  if (!/^[1-9]\d?$/.test(text))
    throw new UsageError(`A threshold must be a number from 1 to 99, not "${text}".`);
  return Number(text);
};

export const daysOf = (text: string): number => {
  if (!/^\d{1,4}$/.test(text) || Number(text) > MOST_DAYS)
    throw new UsageError(`A number of days must be at most ${MOST_DAYS}, not "${text}".`);
  return Number(text);
};

export const expiryOf = (values: Values, role: Role, { now }: CliContext): Expiry => ({
  now,
  days: values['expires-in'] === undefined ? DEFAULT_DAYS[role] : daysOf(values['expires-in']),
});
