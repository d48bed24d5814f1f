import { Type } from '@sinclair/typebox';
import { withoutControls } from '@workspace/service-kit';
import { type BranchFile, type Catalogue, isoDate } from '@workspace/release-catalogue';
import {
  branchTransitions,
  type Transition,
  type TransitionKind,
  withdrawnTransitions,
} from '../../domain/transitions.ts';
import { problems } from '../../problems.ts';
import { DAY_MS } from '../../domain/utc-day.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { cacheable } from '../../http/rendering/cacheable.ts';
import { knownBranchOfQuery, OptionalBranch } from '../../http/rendering/known-branch.ts';
import { Representation } from '../../http/rendering/representation.ts';

/** The support schedule as a calendar: of all branches, or what is to come of one. */
export const schedule = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'schedule',
      tags: ['api'],
      summary: "The days of every branch's life, or those to come of one, as a calendar",
      querystring: OptionalBranch,
      problems: [problems['unknown-branch']],
      response: cacheable('The calendar (RFC 5545).', {
        'text/calendar': Type.String({
          examples: ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\n…\r\nEND:VCALENDAR\r\n'],
        }),
      }),
    },
    (snapshot, cache) => {
      const { catalogue } = snapshot;
      const whole = representation(catalogue, catalogue.branches).popular();
      return ({ query }, now) => {
        const branch = knownBranchOfQuery(snapshot, query);
        return branch
          ? cache.daily(`schedule ${branch.branch}`, now, (today) =>
              representation(catalogue, [branch], today),
            )
          : whole;
      };
    },
  );

const representation = (catalogue: Catalogue, branches: readonly BranchFile[], since?: Date) =>
  new Representation('text/calendar; charset=utf-8', scheduleCalendar(catalogue, branches, since));

/** What a day is called in the calendar; the end of the active list's grace period is not shown. */
const SUMMARIES: Readonly<Partial<Record<TransitionKind, string>>> = {
  'expected-release': 'first release expected',
  'initial-release': 'first release',
  'active-support-end': 'active support ends',
  'security-support-end': 'security support ends',
};

/**
 * The days of branches, all-day, with ids that never change (RFC 5545).
 * @param since midnight of the first day that it has; undefined: all days
 */
const scheduleCalendar = (
  { product, revision }: Catalogue,
  branches: readonly BranchFile[],
  since = new Date(0),
): string => {
  const { name, feed } = product;
  const title = text(`${branches.length === 1 ? `${name} ${branches[0]!.branch}` : name} support schedule`);
  const stamp = instantText(revision);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//release-web//schedule//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${title}`,
    `X-WR-CALNAME:${title}`,
    'REFRESH-INTERVAL;VALUE=DURATION:P1D',
    ...branches.flatMap((branch) => {
      const about = { name, host: new URL(feed.id).hostname, stamp, updated: new Date(branch.updated) };
      const events = (transitions: readonly Transition[], status: 'CONFIRMED' | 'CANCELLED') =>
        transitions.filter(({ at }) => at >= since).flatMap((transition) => event(transition, status, about));
      return [
        ...events(branchTransitions(branch), 'CONFIRMED'),
        ...events(withdrawnTransitions(branch), 'CANCELLED'),
      ];
    }),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
};

interface EventFacts {
  readonly name: string;
  /** of all ids */
  readonly host: string;
  readonly stamp: string;
  /** when the facts of the branch last changed */
  readonly updated: Date;
}

/** Whoever has an event replaces it by one of the same UID and a higher SEQUENCE (RFC 5546, 2.1.5). */
const event = (
  { at, branch, kind }: Transition,
  status: 'CONFIRMED' | 'CANCELLED',
  { name, host, stamp, updated }: EventFacts,
): string[] => {
  const summary = SUMMARIES[kind];
  if (summary === undefined) return [];
  return [
    'BEGIN:VEVENT',
    `UID:${branch}-${kind}@${host}`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${instantText(updated)}`,
    `SEQUENCE:${Math.max(0, (updated.getTime() - SEQUENCE_START) / 1000)}`,
    `STATUS:${status}`,
    `DTSTART;VALUE=DATE:${compact(isoDate(at))}`,
    `DTEND;VALUE=DATE:${compact(isoDate(new Date(at.getTime() + DAY_MS)))}`,
    `SUMMARY:${text(`${name} ${branch}: ${summary}`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
};

/** The facts of a branch change at most once a second. SEQUENCE has 31 bits, which last until 2088. */
const SEQUENCE_START = Date.UTC(2020, 0, 1);

const instantText = (instant: Date): string => `${compact(instant.toISOString().slice(0, 19))}Z`;

const compact = (instant: string): string => instant.replace(/[-:]/g, '');

const text = (value: string): string =>
  withoutControls(value)
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r?\n/g, '\\n');

const LONGEST_LINE = 75;

/** Lines are at most 75 octets long; the rest follows after a line break and a space. */
const fold = (line: string): string => {
  let folded = '';
  let length = 0;
  for (const character of line) {
    const octets = Buffer.byteLength(character);
    if (length + octets > LONGEST_LINE) {
      folded += '\r\n ';
      length = 1;
    }
    folded += character;
    length += octets;
  }
  return folded;
};
