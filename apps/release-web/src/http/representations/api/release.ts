import {
  type BranchFile,
  isoDate,
  latestRelease,
  parseDateText,
  type Release,
} from '@workspace/release-catalogue';
import { releasePage } from '../../../domain/announcement.ts';
import { correctionsOf } from '../../../domain/correction.ts';
import type { ApiRelease } from '../../schemas/release.ts';

/** @param baseUrl public address, no slash at the end */
export const releaseView = (branch: BranchFile, release: Release, baseUrl: string): ApiRelease => {
  const { version, date, kind, yanked, published } = release;
  return {
    version,
    branch: branch.branch,
    date,
    is_security: kind === 'unrecorded' ? null : kind === 'security',
    is_latest: latestRelease(branch) === release,
    yanked: yanked ?? null,
    corrections: correctionsOf(branch, version).map(({ changes, ...correction }) => ({
      ...correction,
      changed: changes.map(({ pointer }) => pointer),
    })),
    tags: (published.tags ?? []).filter(Boolean),
    page: new URL(releasePage(release), baseUrl).href,
    files: [...published.source, ...(published.windows ?? [])].map((file) => fileView(file, baseUrl)),
  };
};

const fileView = (
  file: Release['published']['source'][number],
  baseUrl: string,
): ApiRelease['files'][number] => {
  if (!('filename' in file)) {
    return { filename: null, name: file.name, url: file.link, sha256: null, md5: null, date: null };
  }
  const { filename, name, sha256 = null, md5 = null } = file;
  const day = file.date === undefined ? null : parseDateText(file.date);
  const url = `${baseUrl}/distributions/${encodeURIComponent(filename)}`;
  return { filename, name, url, sha256, md5, date: day && isoDate(day) };
};
