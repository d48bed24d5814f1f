import type { BranchFile, PreRelease, Release, Signatures } from '../schemas/index.ts';
import { dateText, isoDate, longDateText } from '../facts/calendar-date.ts';
import { tarballNames } from '../facts/tarball-name.ts';
import { type Catalogue, releasesOf } from '../facts/catalogue.ts';
import { withKeptFeedId } from '../facts/feed-id.ts';
import { jsonChanges } from '../json-change.ts';
import { buildVersion } from '../facts/pre-release-build.ts';
import { audited, branchFor, digestMembers, type Digests, EditError } from './branch-edit.ts';
import { type MemberEdit, withMembers } from './member.ts';

export interface Correction {
  /** a release (`8.4.24`) or the build in a slot (`8.4.25RC1`) */
  readonly version: string;
  readonly reason: string;
  readonly date?: Date | undefined;
  readonly kind?: 'security' | 'bugfix' | undefined;
  /** CVE ids, in place of those on record */
  readonly fixes?: readonly string[] | undefined;
  readonly digests?: Digests | undefined;
  /** of the files with these digests */
  readonly sizes?: Release['sizes'];
  /** of the files with these digests; without them, a release with new digests has none */
  readonly signatures?: Signatures | undefined;
  /** single members, applied last */
  readonly members: readonly MemberEdit[];
}

/** Changes what was published and writes into the audit what was there before, what is now, and why. */
export const correct = (catalogue: Catalogue, correction: Correction, now: Date): BranchFile => {
  const { version, reason } = correction;
  const branch = branchFor(catalogue, version);
  const release = releasesOf(branch).find((known) => known.version === version);
  const slot = branch.pre_releases.find((known) => buildVersion(known) === version);
  const facts = release ?? slot?.release;
  if (!facts) throw new EditError(`${version} is not on record.`);
  const corrected = release
    ? correctedRelease(catalogue, release, correction)
    : correctedBuild(catalogue, slot!, correction);
  const changes = jsonChanges(facts, corrected);
  if (changes.length === 0) throw new EditError(`${version} has these values already.`);
  return audited(
    catalogue,
    branch,
    {
      current: branch.current === release ? (corrected as Release) : branch.current,
      history: branch.history.map((known) => (known === release ? (corrected as Release) : known)),
      pre_releases: branch.pre_releases.map((known) =>
        known === slot ? { ...slot, release: corrected as PreRelease['release'] } : known,
      ),
    },
    { action: 'correct', version, reason, changes },
    now,
  );
};

const correctedRelease = (catalogue: Catalogue, release: Release, correction: Correction): Release => {
  const { date, kind, fixes, digests } = correction;
  const { published, sizes: _sizes, signatures: _signatures, ...facts } = release;
  const { sizes, signatures } = digests ? correction : release;
  const tags = kind === 'security' ? ['security'] : [];
  const archives = tarballNames(catalogue.product, release.version);
  const corrected = withMembers(
    {
      ...facts,
      ...(date && { date: isoDate(date) }),
      ...(kind && { kind }),
      ...(fixes && { fixes: [...fixes] }),
      ...(sizes && { sizes }),
      ...(signatures && { signatures }),
      published: {
        ...published,
        ...(kind && { tags }),
        ...(date && { date: dateText(date) }),
        source: published.source.map((file) =>
          'link' in file
            ? file
            : {
                ...file,
                ...(digests && archives.includes(file.filename) && { sha256: digests.get(file.filename)! }),
                ...(date && { date: dateText(date) }),
              },
        ),
      },
    },
    correction.members,
  );
  return withKeptFeedId(catalogue.product, release, corrected);
};

const correctedBuild = (catalogue: Catalogue, slot: PreRelease, correction: Correction) => {
  const { date, kind, fixes, digests, members } = correction;
  if (kind || fixes) throw new EditError('A build is neither a security nor a bugfix release.');
  return withMembers(
    {
      ...slot.release,
      ...(digests && digestMembers(catalogue, buildVersion(slot), digests)),
      ...(date && { date: longDateText(date) }),
    },
    members,
  );
};
