import type { MemberEdit } from '@workspace/release-catalogue';
import { UsageError } from './terminal.ts';

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
