import {
  branchOf,
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  digestOf,
  isEnabled,
  isoDate,
  parseDateText,
  type PreRelease,
  type ProductFile,
} from '@workspace/release-catalogue';
import type { ApiPreRelease } from '../../schemas/pre-release.ts';

export const preReleaseView = (product: ProductFile, slot: PreRelease): ApiPreRelease => {
  const { version, active, release } = slot;
  const day = release.date === undefined ? null : parseDateText(release.date);
  return {
    version,
    branch: branchOf(version),
    is_active: active,
    is_available: isEnabled(slot),
    build: release.number > 0 ? buildVersion(slot) : null,
    type: release.type,
    number: release.number,
    date: day && isoDate(day),
    dev_version: `${version}-dev`,
    files: isEnabled(slot)
      ? BUILD_COMPRESSIONS.flatMap((archive) => {
          const sha256 = digestOf(release, archive);
          return sha256 ? [{ url: buildUrl(product, slot, archive), sha256 }] : [];
        })
      : [],
  };
};
