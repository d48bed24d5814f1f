import { isEnabled, type PreRelease } from '@workspace/release-catalogue';
import type { PhpValue } from './php-value.ts';

/** The literal contract of `/pre-release-builds.php`: a list of records, ten members each. */
export const preReleaseRecords = (slots: readonly PreRelease[]): PhpValue[] =>
  slots.map((slot) => {
    const {
      type,
      number,
      sha256_gz = '',
      sha256_bz2 = '',
      sha256_xz = '',
      date = '',
      baseurl = '',
    } = slot.release;
    return {
      version: slot.version,
      active: slot.active,
      release: { type, number },
      sha256_gz,
      sha256_bz2,
      sha256_xz,
      date,
      baseurl,
      enabled: isEnabled(slot),
      dev_version: `${slot.version}-dev`,
    };
  });
