/**
 * A version as an installation reports it: PHP's own `8.4.20`, `8.5.0RC2`, `8.5.0-dev`, or a distribution's package
 * version, `7.4.3-4ubuntu2.29`, `8.3.11-1+ubuntu24.04.1+deb.sury.org+1`, `2:8.2.7+dfsg`, `8.4.1_1`. A branch alone is `8.4`.
 */
export interface ReportedVersion {
  /** what the project calls it: `7.4.3`, or `8.4` for a branch */
  readonly base: string;
  readonly isBranch: boolean;
  /** `8.5.0RC2`, `8.5.0-dev`; undefined for anything but a pre-release */
  readonly preRelease?: string;
  /** a distribution built it, and may have fixed issues in it that the version does not show */
  readonly isDistributionBuild: boolean;
}

export const REPORTED_VERSION_PATTERN =
  '^(?:\\d{1,3}:)?(\\d{1,9}\\.\\d{1,9}(?:\\.\\d{1,9})?)(?:~?((?:alpha|beta|RC)\\d{1,9})|[~_]((?:alpha|beta|rc)\\d{1,9}))?(-dev)?([-+~_, ][\\w.+~:, -]*)?$';

const PATTERN = new RegExp(REPORTED_VERSION_PATTERN);

/** @returns null for a text that is not a version */
export const parseReportedVersion = (text: string): ReportedVersion | null => {
  const [match, base = '', own, packaged = '', dev = '', suffix = ''] = PATTERN.exec(text) ?? [];
  if (match === undefined) return null;
  // Alpine and Debian write it in lower case.
  const build = own ?? packaged.replace('rc', 'RC');
  return {
    base,
    isBranch: base.split('.').length === 2,
    ...((build || dev) && { preRelease: base + build + dev }),
    isDistributionBuild: suffix !== '',
  };
};
