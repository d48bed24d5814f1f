import { escapeMarkup } from '@workspace/service-kit';
import { type BranchFile, type Catalogue, parseIsoDate } from '@workspace/release-catalogue';
import { hasRelease, knownSupportDates, type State, supportState } from '../../domain/support-state.ts';
import { dayText } from '../dates.ts';
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
    return `${rect}<text class="until on-${kind}" ${place} y="${y + ROW / 2 + 4.5}">until ${dayText(end)}</text>`;
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

const WIDTH = 960;
const LEFT = 68;
const RIGHT = 16;
const LEGEND = 30;

/** Colours of the file: the reader's colour scheme decides. It has a background, so that it is legible on any page. */
const FILE_STYLE = `.paper{fill:#fff}text{font:13px system-ui,sans-serif;fill:#1a1d24}.axis{fill:#5b6270}.branch{font-weight:600;font-size:15px}
.year{stroke:#d9dde3}.stable{fill:#1c7c54}.on-stable{fill:#fff}.security{fill:#f2b134}.on-security{fill:#3b2500}.future{fill:none;stroke:#5b6270;stroke-dasharray:4 3}
.ended rect{opacity:.4}.ended .until{fill:#1a1d24}.today{stroke:#c81e3a;stroke-width:2}.today-text{fill:#c81e3a;font-weight:600}
@media (prefers-color-scheme:dark){.paper{fill:#111418}text{fill:#e7eaee}.axis{fill:#a2abb8}.year{stroke:#353c47}.stable{fill:#4cc38a}.on-stable{fill:#06281a}.security{fill:#e3a436}.on-security{fill:#2a1a00}.future{stroke:#a2abb8}.ended .until{fill:#e7eaee}.today{stroke:#ff7a8a}.today-text{fill:#ff7a8a}}`;

/** `/api/v1/timeline.svg`: how long each branch is supported, around today, as a file of its own. */
export const timelineSvg = (catalogue: Catalogue, now: Date): string => {
  const branches = branchesOnTimeline(catalogue, now);
  const width = WIDTH - LEFT - RIGHT;
  const drawing = drawTimeline(branches, spanAround(branches, now), now, (fraction) =>
    String(Math.round(fraction * width * 10) / 10),
  );
  const height = drawing.height + LEGEND;
  const title = escapeMarkup(`${catalogue.product.name}: when each branch is supported`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>${FILE_STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${height}"/>
<g transform="translate(${LEFT})">
${drawing.shapes}
</g>
${legend(drawing.height + 16)}
</svg>
`;
};

const legend = (y: number): string =>
  `<rect class="stable" x="${LEFT}" y="${y - 11}" width="14" height="12"/><text x="${LEFT + 20}" y="${y}">active support</text>` +
  `<rect class="security" x="${LEFT + 140}" y="${y - 11}" width="14" height="12"/><text x="${LEFT + 160}" y="${y}">security fixes only</text>`;
