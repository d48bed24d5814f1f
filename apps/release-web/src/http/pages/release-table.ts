import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  compareVersions,
  isSecurityRelease,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import { correctionsOf } from '../../domain/change-log.ts';
import { releasePath } from '../../domain/paths.ts';
import { dayOf } from '../dates.ts';

/** A table of releases. @param labelledBy id of its heading @param bodies rows of each part, markup */
export const releaseTable = (labelledBy: string, bodies: readonly string[]): string =>
  `<table class="dense" aria-labelledby="${labelledBy}">
<thead><tr><th scope="col">Version</th><th scope="col">Released</th><th scope="col">Kind</th></tr></thead>
${bodies.map((rows) => `<tbody>\n${rows}\n</tbody>`).join('\n')}
</table>`;

/** All releases of a branch, highest version first, as rows of such a table. */
export const releaseRows = (branch: BranchFile): string =>
  releasesOf(branch)
    .sort((a, b) => compareVersions(b.version, a.version))
    .map((release) => releaseRow(branch, release))
    .join('\n');

const KINDS: Readonly<Record<Release['kind'], string>> = {
  security: 'Security',
  bugfix: 'Bug fixes',
  unrecorded: 'not recorded',
};

const releaseRow = (branch: BranchFile, release: Release): string => {
  const notes = [
    ...(release.yanked ? ['<span class="tag bad">Withdrawn</span>'] : []),
    ...(correctionsOf(branch, release.version).length > 0 ? ['<span class="tag">Corrected</span>'] : []),
  ];
  const kind = isSecurityRelease(release)
    ? '<span class="tag bad">Security</span>'
    : `<span class="muted">${KINDS[release.kind]}</span>`;
  return `<tr><th scope="row">${releaseLink(release)}</th><td>${dayOf(release.date)}</td><td>${[kind, ...notes].join(' ')}</td></tr>`;
};

/** A release with a link to its page; the one entry that is not a version has none. */
export const releaseLink = (release: Release, prefix = ''): string => {
  const text = escapeMarkup(prefix + release.version);
  return /^[\d.]+$/.test(release.version) ? `<a href="${releasePath(release)}">${text}</a>` : text;
};
