import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  buildVersion,
  isSecurityRelease,
  parseIsoDate,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import { hasRelease, isSupported, supportState } from '../../domain/support-state.ts';
import type { Transition, TransitionKind } from '../../domain/transitions.ts';
import { dayNumber } from '../../domain/utc-day.ts';
import { day, lastDay } from '../dates.ts';
import { buildDate, buildsToTest } from './files.ts';

/** How a branch is supported, one sentence of markup. @param name of the product, text */
export const supportSentence = (name: string, branch: BranchFile, now: Date): string => {
  const label = escapeMarkup(`${name} ${branch.branch}`);
  const { state, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  if (!hasRelease(branch)) {
    if (releasesOf(branch).length > 0) return `All releases of ${label} were withdrawn.`;
    const expected = branch.expected ? parseIsoDate(branch.expected) : null;
    const verb = expected && isOver(expected, now) ? 'was' : 'is';
    const release = expected ? `; its first release ${verb} expected on ${day(expected)}` : '';
    const build = buildsToTest(branch, now).at(-1);
    if (!build) return `${label} is not released yet${release}.`;
    const date = buildDate(build, now);
    return `${label} is in development${release}. Its newest build is <a href="#testing">${escapeMarkup(buildVersion(build))}</a>${date && ` of ${date}`}.`;
  }
  if (isSupported(branch, now) && securitySupportEnd) {
    const last = day(lastDay(securitySupportEnd));
    return state === 'stable' && activeSupportEnd
      ? `${label} is in active support through ${day(lastDay(activeSupportEnd))} and gets security fixes through ${last}.`
      : `${label} gets only security fixes, through ${last}.`;
  }
  return state === 'eol' && securitySupportEnd
    ? `${label} is no longer supported: its support ended on ${day(securitySupportEnd)}.`
    : `${label} is no longer supported.`;
};

/** What a transition means for the users of a branch, markup after the branch's name. */
export const TRANSITION_WORDS: Readonly<Partial<Record<TransitionKind, string>>> = {
  'expected-release': 'is expected to be released',
  'initial-release': 'is released',
  'active-support-end': 'gets only security fixes from then on',
  'security-support-end': 'is no longer supported',
};

/** Transitions that matter to readers: not the one that only php.net's active list knows. */
export const isNoteworthy = ({ kind }: Transition): boolean => TRANSITION_WORDS[kind] !== undefined;

/** Whether a whole day (UTC) is past: what is expected on a day may still come. */
export const isOver = (day: Date, now: Date): boolean => dayNumber(day) < dayNumber(now);

/** The state of a branch as a tag, markup. */
export const stateTag = (branch: BranchFile, now: Date): string => {
  if (!hasRelease(branch)) {
    return releasesOf(branch).length > 0
      ? '<span class="tag bad">Withdrawn</span>'
      : '<span class="tag">In testing</span>';
  }
  const { state } = supportState(branch, now);
  if (state === 'stable') return '<span class="tag stable">Active support</span>';
  if (state === 'security') return '<span class="tag security">Security fixes only</span>';
  return state === 'future'
    ? '<span class="tag">Not released yet</span>'
    : '<span class="tag">End of life</span>';
};

/** What kind of release it is, when readers should know it. */
export const kindTag = (release: Release): string =>
  isSecurityRelease(release) ? '<span class="tag bad">Fixes security issues</span>' : '';
