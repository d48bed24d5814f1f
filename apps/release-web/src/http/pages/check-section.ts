import { escapeMarkup } from '@workspace/service-kit';
import {
  branchOf,
  filledIn,
  type ProductFile,
  type Release,
  type SigningKey,
} from '@workspace/release-catalogue';
import { commandLine, releaseFiles } from './files.ts';

/** How to tell that a file is genuine: by its digest, and by its signature, where they are on record. */
export const checkSection = (product: ProductFile, release: Release, baseUrl: string): string => {
  const file = releaseFiles(release).findLast(({ signature }) => signature);
  if (!file) return '';
  const url = baseUrl + file.href;
  return `<h2>Download and check</h2>
${commandLine('check', `curl -fLO '${url}' && echo '${file.digest!.hex}  ${file.name}' | sha256sum --check`)}
${signatureSection(product, release, file.name, `${url}.asc`, baseUrl)}`;
};

const signatureSection = (
  { pages = {}, signing_keys = [] }: ProductFile,
  { version, signatures }: Release,
  file: string,
  signature: string,
  baseUrl: string,
): string => {
  const signer = signatures?.[file]?.fingerprint;
  const keys = signing_keys.filter(({ branches, fingerprint }) =>
    signer ? fingerprint === signer : branches.includes(branchOf(version)),
  );
  const page = pages.keys && filledIn(pages.keys, version);
  const keyring =
    keys[0] && keys.every(({ public_key }) => public_key) ? `${baseUrl}/api/v1/keyring.asc` : pages.keyring;
  const lines = [
    ...(keyring ? [`curl -fsSL '${keyring}' | gpg --import`] : []),
    `curl -fLO '${signature}'`,
    `gpg --verify '${file}.asc' '${file}'`,
  ];
  return `<h3 id="signature">Signature</h3>
<p>${keys.length > 0 ? `The primary key fingerprint that <code>gpg</code> shows has to be ${keys.length > 1 ? 'one of these' : 'this'}${keyLink(page, 'compare')}:` : `<code>gpg</code> has to show the fingerprint of a release manager’s key${keyLink(page, 'see')}.`}</p>
${keys.length > 0 ? `<dl class="dates">${keys.map(keyItem).join('')}</dl>` : ''}
${commandLine('verify', lines.join('\n'))}`;
};

const keyLink = (page: string | undefined, verb: string): string =>
  page
    ? ` (${verb} <a href="${escapeMarkup(page)}">${escapeMarkup(new URL(page).hostname)}’s list of keys</a>)`
    : '';

/** In groups of four digits, as gpg writes it. */
const keyItem = ({ manager, fingerprint }: SigningKey): string =>
  `<dt>${escapeMarkup(manager)}</dt><dd><code>${fingerprint.replace(/....(?!$)/g, '$& ')}</code></dd>`;
