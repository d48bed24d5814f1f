import type { Response } from 'mmdb-lib';
import type { Address } from '@workspace/ip-addresses';
import { type Operator, type OperatorFinder, UNKNOWN_OPERATOR, UnreadableData } from '../domain/locator.ts';
import { infoOf } from './data-info.ts';
import { type NamedFile, UnusableFiles } from '@workspace/service-kit';
import { openMmdb } from './mmdb-file.ts';
import { verify } from './verification.ts';

/**
 * Opens and verifies a MaxMind-format ASN file (GeoLite2-ASN, DBIP-ASN-Lite, or GeoIP2-ISP, which has the same members).
 * @throws UnusableFiles saying why the file must not be used
 */
export async function openAsnDatabase(files: readonly NamedFile[]): Promise<OperatorFinder> {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const [only] = opened;
  if (!only || opened.length > 1) throw new UnusableFiles('ASN data is one file');
  const { file } = only;
  if (!/ASN|ISP/.test(file.type)) {
    throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no network operators`);
  }
  const families: (4 | 6)[] = file.ipVersion === 4 ? [4] : [4, 6];
  const recordOf = (address: Address): Response | null => {
    try {
      return families.includes(address.family) ? file.reader.get(address.text) : null;
    } catch (cause) {
      throw new UnreadableData('the data broke under a lookup', { cause });
    }
  };
  await verify(file, families, (address) => (recordOf(address) === null ? 'unknown' : 'sound'));
  return { info: infoOf(opened), operatorOf: (address) => operatorOf(recordOf(address)) };
}

function operatorOf(record: Response | null): Operator {
  if (record === null || typeof record !== 'object') return UNKNOWN_OPERATOR;
  const { autonomous_system_number: asn, autonomous_system_organization: org } = record as Record<
    string,
    unknown
  >;
  return {
    asn: typeof asn === 'number' ? asn : null,
    org: typeof org === 'string' && org !== '' ? org : null,
  };
}
