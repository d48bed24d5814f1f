import { type MemberEdit, parseIsoDate } from '@workspace/release-catalogue';
import { UsageError } from './terminal.ts';

/** The only positional argument of a command. */
export const onlyPositional = (positionals: readonly string[], what: string): string => {
  const [value, ...more] = positionals;
  if (value === undefined) throw new UsageError(`The ${what} is missing.`);
  if (more.length > 0) throw new UsageError(`Only one ${what} is allowed; "${more.join(' ')}" is too many.`);
  return value;
};

/** The version of a release, `8.4.25`: three numbers. `8.5.` once hid the newest release. */
export const versionArgument = (version: string): string => {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) {
    throw new UsageError(`"${version}" is not the version of a release, like 8.4.25.`);
  }
  return version;
};

/** An option that has to be there. */
export const required = (value: string | undefined, option: string): string => {
  if (value === undefined || value.trim() === '') throw new UsageError(`${option} is missing.`);
  return value;
};

/** An option with a fixed choice. */
export const oneOf = <T extends string>(value: string, choices: readonly T[], option: string): T => {
  const choice = choices.find((known) => known === value);
  if (choice === undefined)
    throw new UsageError(`${option} must be ${choices.join(' or ')}, not "${value}".`);
  return choice;
};

/** CVE ids, each once: what a release fixes. */
export const cveOption = (values: readonly string[], option: string): string[] => {
  const wrong = values.find((value) => !/^CVE-\d{4}-\d{4,19}$/.test(value));
  if (wrong !== undefined)
    throw new UsageError(
      `${option} must be a CVE id like CVE-2026-17544, not "${wrong}"; repeat it for several.`,
    );
  return [...new Set(values)];
};

/** A day, `2026-08-13`; today when not given. */
export const dayOption = (value: string | undefined, option: string, now: Date): Date => {
  const date = parseIsoDate(value ?? now.toISOString().slice(0, 10));
  if (!date) throw new UsageError(`${option} must be a day like 2026-08-13, not "${value}".`);
  return date;
};

/**
 * Reads `/published/museum=true`: a pointer and JSON.
 * @throws UsageError when it is something else, or a digest, which is never typed
 */
export const parseMemberOption = (text: string): MemberEdit => {
  const [, pointer, json] = /^(\/[^=]*)=(.*)$/s.exec(text) ?? [];
  if (pointer === undefined || json === undefined) {
    throw new UsageError(`--set takes <pointer>=<json>, like /published/museum=true, not "${text}".`);
  }
  if (/(sha256|md5)[^/]*$/.test(pointer)) {
    throw new UsageError('Digests are never typed in: use --manifest, --tarballs or both.');
  }
  try {
    return { pointer, value: JSON.parse(json) as unknown };
  } catch (error) {
    throw new UsageError(`The value of ${pointer} is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
};
