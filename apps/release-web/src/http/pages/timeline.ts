import { escapeMarkup } from '@workspace/service-kit';
import { type BranchFile, type Catalogue, parseIsoDate } from '@workspace/release-catalogue';
import { hasRelease, knownSupportDates, type State, supportState } from '../../domain/support-state.ts';
import { dayText, lastDay } from '../dates.ts';
import { DAY_MS } from '../../domain/utc-day.ts';

/** The years that a timeline shows: from 1 January of the first to 1 January after the last. */
export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
}

/** A picture without its outermost element, for the page or for a file. */
export interface TimelineDrawing {
  /** shapes and text, classed and not coloured: the colours are of the page or file that shows it */
  readonly shapes: string;
  /** pixels */
  readonly height: number;
}

/** Where a fraction of the span (0 to 1) is on the horizontal axis: a length that SVG understands. */
type Axis = (fraction: number) => string;

const ROW = 40;
const BAR = 24;
const TOP = 30;
const BOTTOM = 28;
const YEARS_BACK = 2;
const YEAR_MS = 365 * DAY_MS;
/** A bar that covers less of the span has no room for a date. */
const ROOM_FOR_DATE = 0.15;

/** Supported branches, future ones with an expected date, and those that ended within the last year; newest first. */
export const branchesOnTimeline = (catalogue: Catalogue, now: Date): readonly BranchFile[] =>
  [...catalogue.branches].reverse().filter((branch) => {
    if (!hasRelease(branch)) return branch.expected !== undefined;
    const end = knownSupportDates(branch).securitySupportEnd;
    return end !== null && end.getTime() > now.getTime() - YEAR_MS;
  });

/** The years around an instant in which something happens to these branches. */
export const spanAround = (branches: readonly BranchFile[], now: Date): TimelineSpan => {
  const ends = branches.map((branch) => knownSupportDates(branch).securitySupportEnd?.getUTCFullYear() ?? 0);
  const year = now.getUTCFullYear();
  return yearSpan(year - YEARS_BACK, Math.max(year + 1, ...ends));
};

/** All years of one branch; null when a date is not known. */
export const spanOf = (branch: BranchFile): TimelineSpan | null => {
  const { initialRelease, securitySupportEnd } = knownSupportDates(branch);
  if (!initialRelease || !securitySupportEnd) return null;
  return yearSpan(initialRelease.getUTCFullYear(), securitySupportEnd.getUTCFullYear());
};

const yearSpan = (first: number, last: number): TimelineSpan => ({
  from: Date.UTC(first, 0, 1),
  to: Date.UTC(last + 1, 0, 1),
});

/** Draws branches below each other: their bars, the years and today. */
export const drawTimeline = (
  branches: readonly BranchFile[],
  span: TimelineSpan,
  now: Date,
  axis: Axis,
): TimelineDrawing => {
  const at = (instant: number): number =>
    Math.min(Math.max((instant - span.from) / (span.to - span.from), 0), 1);
  const bottom = TOP + branches.length * ROW;
  const [first, last] = [new Date(span.from).getUTCFullYear(), new Date(span.to).getUTCFullYear()];
  const years = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const shapes = [
    ...years.map((year) => yearLine(axis(at(Date.UTC(year, 0, 1))), year < last ? year : undefined, bottom)),
    ...branches.map((branch, index) => row(branch, now, TOP + index * ROW, at, axis)),
    ...(now.getTime() >= span.from && now.getTime() <= span.to ? [today(now, at, axis, bottom)] : []),
  ];
  return { shapes: shapes.join('\n'), height: bottom + BOTTOM };
};

const yearLine = (x: string, label: number | undefined, bottom: number): string =>
  `<line class="year" x1="${x}" x2="${x}" y1="6" y2="${bottom}"/>` +
  (label === undefined ? '' : `<text class="axis" x="${x}" dx="5" y="18">${label}</text>`);

const today = (now: Date, at: (instant: number) => number, axis: Axis, bottom: number): string => {
  const fraction = at(now.getTime());
  const x = axis(fraction);
  const anchor = fraction < 0.12 ? 'start' : fraction > 0.88 ? 'end' : 'middle';
  return (
    `<line class="today" x1="${x}" x2="${x}" y1="${TOP - 4}" y2="${bottom + 6}"/>` +
    `<text class="today-text" x="${x}" y="${bottom + 22}" text-anchor="${anchor}">Today, ${dayText(now)}</text>`
  );
};

const row = (
  branch: BranchFile,
  now: Date,
  y: number,
  at: (instant: number) => number,
  axis: Axis,
): string => {
  const { state, initialRelease, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  const expected = !hasRelease(branch) && branch.expected ? parseIsoDate(branch.expected) : null;
  const name = escapeMarkup(branch.branch);
  const bar = (begin: Date, end: Date, kind: string): string => {
    const [left, right] = [at(begin.getTime()), at(end.getTime())];
    if (right <= left) return '';
    const rect = `<rect class="${kind}" x="${axis(left)}" y="${y + (ROW - BAR) / 2}" width="${axis(right - left)}" height="${BAR}"/>`;
    if (right - left < ROOM_FOR_DATE || kind === 'future') return rect;
    // At the end of the bar, unless today's line would cross it there.
    const current = at(now.getTime());
    const isCrossed = current > right - ROOM_FOR_DATE && current < right + 0.01;
    const place = isCrossed ? `x="${axis(left)}" dx="8"` : `x="${axis(right)}" dx="-8" text-anchor="end"`;
    return `${rect}<text class="until on-${kind}" ${place} y="${y + ROW / 2 + 4.5}">through ${dayText(lastDay(end))}</text>`;
  };
  const bars = expected
    ? bar(expected, new Date(8.64e15), 'future')
    : initialRelease && activeSupportEnd && securitySupportEnd
      ? bar(initialRelease, activeSupportEnd, 'stable') +
        bar(activeSupportEnd, securitySupportEnd, 'security')
      : '';
  const words = expected ? `expected ${dayText(expected)}` : WORDS[state ?? 'eol'];
  return `<g class="${state === 'eol' ? 'ended' : 'alive'}"><title>${name}: ${words}</title><text class="branch" x="0" dx="-52" y="${y + ROW / 2 + 5}">${name}</text>${bars}</g>`;
};

const WORDS: Readonly<Record<State, string>> = {
  future: 'not released yet',
  stable: 'active support',
  security: 'security fixes only',
  eol: 'no longer supported',
};

const percent = (fraction: number): string => `${Math.round(fraction * 10_000) / 100}%`;

/**
 * A timeline on a page. Its horizontal lengths are parts of the width and its text is not scaled, so that it is legible
 * on a phone; its height is known before it is drawn.
 * @param label what it shows, for those who cannot see it, text
 * @param calendar the address of its dates as a calendar
 */
export const timelineFigure = (
  branches: readonly BranchFile[],
  span: TimelineSpan,
  now: Date,
  label: string,
  calendar: string | undefined,
): string => {
  const { shapes, height } = drawTimeline(branches, span, now, percent);
  return `<figure>
<div class="timeline"><svg role="img" aria-label="${escapeMarkup(label)}" width="100%" height="${height}">
${shapes}
</svg></div>
<figcaption><span class="key stable">Active support</span><span class="key security">Security fixes only</span>${calendar ? `<a href="${escapeMarkup(calendar)}">Add these dates to a calendar</a>` : ''}</figcaption>
</figure>`;
};
