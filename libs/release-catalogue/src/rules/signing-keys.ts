import { error, locatedReleases } from './location.ts';
import type { Rule } from './rule.ts';

/** A key is on record once, and a signature is of a file of its release and by a key on record. */
export const signingKeys: Rule = function* (catalogue) {
  // Stryker disable next-line ArrayDeclaration: a key that signs nothing
  const fingerprints = (catalogue.product.signing_keys ?? []).map(({ fingerprint }) => fingerprint);
  for (const [index, fingerprint] of fingerprints.entries())
    if (fingerprints.indexOf(fingerprint) !== index)
      yield error(
        { file: 'product.json', pointer: '' },
        fingerprint,
        `${fingerprint} is on record twice`,
        '/signing_keys',
      );
  for (const location of locatedReleases(catalogue)) {
    const { version, published, signatures = {} } = location.release;
    const files = new Set(published.source.map((file) => 'filename' in file && file.filename));
    for (const [name, { fingerprint }] of Object.entries(signatures)) {
      const problem = !files.has(name)
        ? `${name} is not a file of ${version}`
        : !fingerprints.includes(fingerprint) &&
          `${name} is signed by ${fingerprint}, which is not on record`;
      if (problem) yield error(location, `${version} ${name}`, problem, '/signatures');
    }
  }
};
