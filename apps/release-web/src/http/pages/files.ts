import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  compareVersions,
  digestOf,
  isEnabled,
  latestRelease,
  parseDateText,
  type PreRelease,
  type ProductFile,
  type Release,
  tarballName,
} from '@workspace/release-catalogue';
import { isSupported } from '../../domain/support-state.ts';
import { day, distance } from '../dates.ts';

/** A file to download as a page shows it. */
export interface FileRow {
  readonly href: string;
  readonly name: string;
  /** with the algorithm it is of, which an old release leaves to guesswork */
  readonly digest?: { readonly algorithm: 'SHA-256' | 'MD5'; readonly hex: string } | undefined;
  /** where its detached OpenPGP signature is */
  readonly signature?: string;
  /** in bytes */
  readonly size?: number | undefined;
}

/** The files of a release: archives, and where there are some, those for Windows. */
export const releaseFiles = ({ sizes, published: { source, windows = [] } }: Release): FileRow[] =>
  [...source.map((file) => fileRow(file, true)), ...windows.map((file) => fileRow(file, false))].map(
    (row) => ({ ...row, size: sizes?.[row.name] }),
  );

const fileRow = (file: Release['published']['source'][number], isSource: boolean): FileRow => {
  if (!('filename' in file)) return { href: file.link, name: file.name };
  const { filename, sha256, md5 } = file;
  const href = `/distributions/${encodeURIComponent(filename)}`;
  if (sha256) {
    const digest = { algorithm: 'SHA-256', hex: sha256 } as const;
    return { href, name: filename, digest, ...(isSource && { signature: `${href}.asc` }) };
  }
  return { href, name: filename, digest: md5 ? { algorithm: 'MD5', hex: md5 } : undefined };
};

/** The archives of a build to test. */
export const buildFiles = (product: ProductFile, slot: PreRelease): FileRow[] =>
  BUILD_COMPRESSIONS.flatMap((archive) => {
    const hex = digestOf(slot.release, archive);
    if (!hex) return [];
    const href = buildUrl(product, slot, archive);
    const name = tarballName(product, buildVersion(slot), archive);
    return [{ href, name, digest: { algorithm: 'SHA-256' as const, hex }, signature: `${href}.asc` }];
  });

/** Files with their digests, each with a button that copies it. */
export const fileList = (files: readonly FileRow[]): string =>
  `<ul class="files">${files.map(fileItem).join('\n')}</ul>`;

const fileItem = ({ href, name, digest, signature, size }: FileRow): string => {
  const label = escapeMarkup(name);
  const link = `<a href="${escapeMarkup(href)}">${label}</a>${size ? ` <small>${(size / 1e6).toFixed(1)} MB</small>` : ''}`;
  const signed = signature
    ? ` <small><a href="${escapeMarkup(signature)}" aria-label="${label}.asc, signature">.asc</a></small>`
    : '';
  if (!digest) return `<li><span>${link}${signed}</span></li>`;
  const what = `${digest.algorithm} of ${name}`;
  return `<li><span>${link}${signed}</span><span class="hash">${digest.algorithm} <code id="${hashId(name)}">${escapeMarkup(digest.hex)}</code></span>${copyButton(hashId(name), what)}</li>`;
};

const hashId = (name: string): string => `hash-${name.replace(/[^\w.-]/g, '_')}`;

/** A command with a button that copies it. @param id of its element, text */
export const commandLine = (id: string, command: string): string =>
  `<p class="command"><code id="${id}">${escapeMarkup(command)}</code>${copyButton(id, 'command')}</p>`;

/** A button that copies the text of an element. @param what it copies, text */
const copyButton = (id: string, what: string): string =>
  `<button class="copy" type="button" data-copy="${id}" data-done="Copied the ${escapeMarkup(what)}" aria-label="Copy the ${escapeMarkup(what)}">Copy</button>`;

/** The builds of a branch that can be tested: of releases to come, however old. Without support none will. */
export const buildsToTest = (branch: BranchFile, now: Date): readonly PreRelease[] => {
  const latest = latestRelease(branch);
  if (latest && !isSupported(branch, now)) return [];
  return branch.pre_releases.filter(
    (slot) => isEnabled(slot) && (!latest || compareVersions(slot.version, latest.version) > 0),
  );
};

/** `13 Aug 2026, 8 days ago`: when a build was made, markup; empty when that is not on record. */
export const buildDate = ({ release }: PreRelease, now: Date): string => {
  const date = release.date === undefined ? null : parseDateText(release.date);
  return date ? `${day(date)}, ${distance(date, now)}` : '';
};

/** A build to test with its files. */
export const buildSection = (product: ProductFile, slot: PreRelease, now: Date): string => {
  const version = escapeMarkup(buildVersion(slot));
  const date = buildDate(slot, now);
  return `<section class="release" id="v${version}">
<div class="release-head"><h3>${escapeMarkup(product.name)} ${version}</h3>${date && `<span class="muted">${date}</span>`}<span class="tag">Not for production</span></div>
${fileList(buildFiles(product, slot))}
</section>`;
};
