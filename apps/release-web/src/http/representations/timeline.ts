import { escapeMarkup } from '@workspace/service-kit';
import { type BranchFile, type Catalogue, isReleased, supportDates } from '@workspace/release-catalogue';
import { type State, supportState } from '../../domain/support-state.ts';

const ROW = 26;
const TOP = 34;
const LEFT = 64;
const WIDTH = 960;
const RIGHT = 16;
/** Branches that ended longer ago than this are history, not schedule. */
const YEARS_BACK = 3;
const YEARS_AHEAD = 4;

const COLOURS = { stable: '#2e7d32', security: '#ef9a1a' } as const;

/** `/api/v1/timeline.svg`: how long each branch is supported, around today. */
export const timelineSvg = (catalogue: Catalogue, now: Date): string => {
  const from = Date.UTC(now.getUTCFullYear() - YEARS_BACK, 0, 1);
  const to = Date.UTC(now.getUTCFullYear() + YEARS_AHEAD, 0, 1);
  const x = (date: number): number =>
    Math.round((LEFT + ((clamp(date, from, to) - from) / (to - from)) * (WIDTH - LEFT - RIGHT)) * 10) / 10;
  const shown = [...catalogue.branches].reverse().filter((branch) => {
    const end = supportDates(branch).securitySupportEnd;
    return isReleased(branch) && end !== null && end.getTime() > from;
  });
  const height = TOP + shown.length * ROW + 34;
  const bottom = TOP + shown.length * ROW;
  const years = Array.from(
    { length: YEARS_BACK + YEARS_AHEAD + 1 },
    (_, i) => now.getUTCFullYear() - YEARS_BACK + i,
  );
  const title = escapeMarkup(`${catalogue.product.name}: when each branch is supported`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title" font-family="system-ui, sans-serif" font-size="13">
<title id="title">${title}</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${years.map((year) => yearLine(x(Date.UTC(year, 0, 1)), year, bottom, year === years.at(-1))).join('\n')}
${shown.map((branch, index) => row(branch, now, TOP + index * ROW, x)).join('\n')}
<line x1="${x(now.getTime())}" x2="${x(now.getTime())}" y1="${TOP - 8}" y2="${bottom}" stroke="#c62828" stroke-width="2"><title>today</title></line>
${legend(bottom + 22)}
</svg>
`;
};

const yearLine = (at: number, year: number, bottom: number, isLast: boolean): string =>
  `<line x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${bottom}" stroke="#ddd"/>` +
  `<text x="${at}" y="18" fill="#555" text-anchor="${isLast ? 'end' : 'start'}">${year}</text>`;

const row = (branch: BranchFile, now: Date, y: number, x: (date: number) => number): string => {
  const { state, initialRelease, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  if (!initialRelease || !activeSupportEnd || !securitySupportEnd) return '';
  const bar = (begin: Date, end: Date, kind: keyof typeof COLOURS): string =>
    x(end.getTime()) > x(begin.getTime())
      ? `<rect x="${x(begin.getTime())}" y="${y + 3}" width="${(x(end.getTime()) - x(begin.getTime())).toFixed(1)}" height="${ROW - 6}" rx="2" fill="${COLOURS[kind]}"${state === 'eol' ? ' opacity=".45"' : ''}/>`
      : '';
  const name = escapeMarkup(branch.branch);
  return `<g><title>${name}: ${WORDS[state ?? 'eol']}</title><text x="12" y="${y + 17}" font-weight="600" fill="${state === 'eol' ? '#888' : '#111'}">${name}</text>${bar(initialRelease, activeSupportEnd, 'stable')}${bar(activeSupportEnd, securitySupportEnd, 'security')}</g>`;
};

const WORDS: Readonly<Record<State, string>> = {
  future: 'not released yet',
  stable: 'active support',
  security: 'security fixes only',
  eol: 'no longer supported',
};

const legend = (y: number): string =>
  `<rect x="${LEFT}" y="${y - 11}" width="14" height="12" fill="${COLOURS.stable}"/><text x="${LEFT + 20}" y="${y}" fill="#333">active support</text>` +
  `<rect x="${LEFT + 140}" y="${y - 11}" width="14" height="12" fill="${COLOURS.security}"/><text x="${LEFT + 160}" y="${y}" fill="#333">security fixes only</text>` +
  `<rect x="${LEFT + 306}" y="${y - 12}" width="2" height="14" fill="#c62828"/><text x="${LEFT + 316}" y="${y}" fill="#333">today</text>`;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
