import type { BranchFile, PreRelease, Release, Signatures } from '../schemas/index.ts';
import { dateText, isoDate } from '../facts/calendar-date.ts';
import { COMPRESSIONS, tarballName } from '../facts/tarball-name.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { feedId } from '../facts/feed-id.ts';
import {
  branchFor,
  type Digests,
  enteringRank,
  expectUnreleased,
  past,
  publicationInstant,
  releasedBranch,
} from './branch-edit.ts';

export interface Promotion {
  readonly version: string;
  readonly kind: 'security' | 'bugfix';
  /** CVE ids; a security release has at least one */
  readonly fixes?: readonly string[] | undefined;
  readonly date: Date;
  readonly digests: Digests;
  readonly sizes?: Release['sizes'];
  readonly signatures?: Signatures | undefined;
  /** whether a page announces it */
  readonly announced: boolean;
  /** the slot to open for the builds after this one */
  readonly next?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * A release comes out: it becomes current, the one before goes into the history, slots that it overtakes are cleared and
 * their builds remembered. All of it is one branch file; the feed and the tables follow from it.
 */
export const promote = (catalogue: Catalogue, promotion: Promotion, now: Date): BranchFile => {
  const { version, next, reason } = promotion;
  const branch = branchFor(catalogue, version);
  expectUnreleased(branch, version);
  const current = newRelease(catalogue, branch, promotion, now);
  return releasedBranch(
    catalogue,
    branch,
    current,
    {
      current,
      history: branch.current ? [past(catalogue, branch.current), ...branch.history] : branch.history,
      slots: next === undefined ? [] : [emptySlot(next)],
    },
    { action: 'promote', reason },
    now,
  );
};

const newRelease = (catalogue: Catalogue, branch: BranchFile, promotion: Promotion, now: Date): Release => {
  const { version, kind, fixes = [], date, digests, sizes, signatures, announced } = promotion;
  const { product } = catalogue;
  const release: Release = {
    version,
    date: isoDate(date),
    kind,
    rank: branch.current?.rank ?? enteringRank(catalogue, version),
    ...(fixes.length > 0 && { fixes: [...fixes] }),
    ...(sizes && { sizes }),
    ...(signatures && { signatures }),
    published: {
      announcement: announced,
      tags: kind === 'security' ? ['security'] : [],
      date: dateText(date),
      source: COMPRESSIONS.map((archive) => {
        const filename = tarballName(product, version, archive);
        const name = `${product.name} ${version} (tar.${archive})`;
        return { filename, name, sha256: digests.get(filename)!, date: dateText(date) };
      }),
    },
  };
  const { published, ...facts } = release;
  const feed = { id: feedId(product, release), published: publicationInstant(catalogue, now) };
  return { ...facts, feed, published };
};

const emptySlot = (version: string): PreRelease => ({
  version,
  active: true,
  release: { type: 'RC', number: 0 },
});
