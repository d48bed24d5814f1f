import { Type } from '@sinclair/typebox';
import { problems } from '../../problems.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { Choice, choice, PhpQuery, phpQuery } from './php-query.ts';
import { PreReleases } from './schemas.ts';
import type { Answers } from '../rendering/answers.ts';
import {
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  devVersions,
  digestOf,
  isEnabled,
  type PreRelease,
  preReleases,
  type ProductFile,
} from '@workspace/release-catalogue';
import { phpRepresentations, type PhpValue } from './php-value.ts';

const FORMATS = ['json', 'serialize'] as const;
const ONLY = ['dev_versions'] as const;

const PreReleaseQuery = Type.Object({
  format: Choice(FORMATS, 'json when left out'),
  only: Choice(ONLY, 'a flat list of versions instead of everything'),
});

/** Pre-release builds. @param paths the documented one first */
export const preReleaseBuilds = (answers: Answers, paths: readonly string[]): void => {
  const isKeyed = answers.site.settings.PRE_RELEASE_SHAPE === 'keyed';
  answers.route(
    paths,
    {
      operationId: 'preReleaseBuilds',
      tags: ['contract'],
      summary: 'Coming releases and their builds',
      querystring: PhpQuery,
      described: { querystring: PreReleaseQuery },
      problems: [problems['unknown-choice']],
      response: cacheable('The builds, or with `only` the versions.', {
        'application/json': PreReleases,
        'text/plain': Type.String({
          description: "with format=serialize: PHP's serialize",
          examples: ['a:1:{i:0;s:10:"8.4.25-dev";}'],
        }),
      }),
    },
    ({ catalogue }) => {
      const slots = preReleases(catalogue);
      const builds = phpRepresentations(
        isKeyed ? preReleasesKeyed(catalogue.product, slots) : preReleaseRecords(slots),
      );
      const list = devVersions(slots);
      // php.net has no list of reported versions when nothing is active.
      const versions = phpRepresentations(isKeyed && list.length === 0 ? null : list);
      return ({ url }) => {
        const parameters = phpQuery(url);
        const format = choice(parameters, 'format', FORMATS) ?? 'json';
        const only = choice(parameters, 'only', ONLY);
        return (only ? versions : builds)[format];
      };
    },
  );
};

/**
 * `/pre-release-builds.php` as php.net answers it: slots by base version, then what is reported and what is released.
 * Stored members keep their order; `enabled` is only ever written as false.
 */
export const preReleasesKeyed = (product: ProductFile, slots: readonly PreRelease[]): PhpValue => {
  const active = slots.filter((slot) => slot.active);
  const reported = devVersions(slots);
  const released = active.filter(({ release }) => release.number > 0);
  const keyed = new Map<string, PhpValue>(slots.map((slot) => [slot.version, slotMembers(product, slot)]));
  if (reported.length > 0) keyed.set('reported', reported);
  if (released.length > 0)
    keyed.set('releases', new Map(released.map((slot) => [slot.version, buildMembers(product, slot)])));
  return keyed;
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
