import { error, locatedReleases } from './location.ts';
import type { Rule } from './rule.ts';

/** A key is on record once, and a signature is of a file of its release and by a key on record. */
export const signingKeys: Rule = (catalogue) => {
  // Stryker disable next-line ArrayDeclaration: a key that signs nothing
  const fingerprints = (catalogue.product.signing_keys ?? []).map(({ fingerprint }) => fingerprint);
  const twice = fingerprints
    .filter((fingerprint, index) => fingerprints.indexOf(fingerprint) !== index)
    .map((fingerprint) =>
      error(
        'signing-keys',
        { file: 'product.json', pointer: '' },
        fingerprint,
        `${fingerprint} is on record twice`,
        '/signing_keys',
      ),
    );
  const known = new Set(fingerprints);
  const signatures = locatedReleases(catalogue).flatMap((location) => {
    const { version, published, signatures = {} } = location.release;
    const files = new Set(published.source.map((file) => 'filename' in file && file.filename));
    return Object.entries(signatures).flatMap(([name, { fingerprint }]) => {
      const problem = !files.has(name)
        ? `${name} is not a file of ${version}`
        : !known.has(fingerprint) && `${name} is signed by ${fingerprint}, which is not on record`;
      return problem ? [error('signing-keys', location, `${version} ${name}`, problem, '/signatures')] : [];
    });
  });
  return [...twice, ...signatures];
};
