import {
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  devVersions,
  digestOf,
  type PreRelease,
  type ProductFile,
} from '@workspace/release-catalogue';
import type { PhpValue } from './php-value.ts';

/**
 * `/pre-release-builds.php` as php.net answers it: slots by base version, then what is reported and what is released.
 * Stored members keep their order; `enabled` is only ever written as false.
 */
export const preReleasesKeyed = (product: ProductFile, slots: readonly PreRelease[]): PhpValue => {
  const active = slots.filter((slot) => slot.active);
  const reported = devVersions(slots);
  const released = active.filter(({ release }) => release.number > 0);
  return new Map<string, PhpValue>([
    ...slots.map((slot): [string, PhpValue] => [slot.version, slotMembers(product, slot)]),
    ...(reported.length > 0 ? [['reported', reported] as [string, PhpValue]] : []),
    ...(released.length > 0
      ? [
          ['releases', new Map(released.map((slot) => [slot.version, buildMembers(product, slot)]))] as [
            string,
            PhpValue,
          ],
        ]
      : []),
  ]);
};

const slotMembers = (product: ProductFile, slot: PreRelease): PhpValue => ({
  active: slot.active,
  release: buildMembers(product, slot),
  ...(slot.active && { dev_version: `${slot.version}-dev` }),
});

const buildMembers = (product: ProductFile, slot: PreRelease): PhpValue => {
  if (!slot.active) return slot.release;
  if (slot.release.number === 0) return { ...slot.release, enabled: false };
  if (!slot.release.baseurl) return slot.release;
  const files = BUILD_COMPRESSIONS.flatMap((archive): [string, PhpValue][] => {
    const sha256 = digestOf(slot.release, archive);
    return sha256 === undefined ? [] : [[archive, { sha256, path: buildUrl(product, slot, archive) }]];
  });
  return {
    ...slot.release,
    version: buildVersion(slot),
    ...(files.length > 0 ? { files: new Map(files) } : { enabled: false }),
  };
};
