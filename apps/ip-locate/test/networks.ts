import { type Address, addressOf } from '@workspace/ip-addresses';
import type { MmdbFile } from '../src/adapters/mmdb/mmdb-file.ts';
import { type Readers, differenceOf } from '../src/adapters/mmdb/verification.ts';
import { type Language, LANGUAGES } from '../src/domain/language.ts';

/** The first address of every network that a file has for a family, whether or not it has an entry. */
export function* everyNetwork({ tree }: MmdbFile, family: 4 | 6): Generator<Address> {
  const paths: { node: number; depth: number; octets: Uint8Array }[] = [
    { node: tree.starts[family], depth: 0, octets: new Uint8Array(family === 4 ? 4 : 16) },
  ];
  for (let path = paths.pop(); path; path = paths.pop()) {
    const { node, depth, octets } = path;
    if (node >= tree.nodeCount) {
      yield addressOf(octets);
      continue;
    }
    for (const side of [true, false]) {
      const next = Uint8Array.from(octets);
      if (side) next[depth >> 3] = next[depth >> 3]! | (0x80 >> (depth & 7));
      paths.push({ node: tree.child(node, side), depth: depth + 1, octets: next });
    }
  }
}

/** What the two readers of a file do not agree about, at every network and in all these languages. */
export const differences = (
  file: MmdbFile,
  { families, own, reference }: Readers,
  languages: readonly Language[] = LANGUAGES,
) => {
  const found: { network: string; language: string; difference: string | undefined }[] = [];
  let networks = 0;
  for (const family of families) {
    for (const address of everyNetwork(file, family)) {
      networks++;
      for (const language of languages) {
        const [ours, theirs] = [own(address, language), reference(address, language)];
        const difference = ours ? differenceOf(ours, theirs) : theirs && 'entry';
        if (difference !== undefined) found.push({ network: address.text, language, difference });
      }
    }
  }
  return { networks, found };
};
