import { type Static, Type } from '@sinclair/typebox';
import { DateTime } from '@workspace/schemas';
import { AuditEntry, type Catalogue } from '@workspace/release-catalogue';
import { ProblemError } from '@workspace/service-kit/problems';
import {
  type Change,
  changesAfter,
  CURSOR_PATTERN,
  cursorText,
  positionAt,
  positionOf,
} from '../../domain/change-log.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { jsonRepresentation } from '../rendering/checked-json.ts';
import { envelope, Many } from './envelope.ts';

const EXAMPLE_CURSOR = '8.4-2_8.5-1';

/** A change of what is published. */
export const ApiChange = Type.Object(
  {
    at: { ...DateTime, examples: ['2026-08-27T09:00:00Z'], description: 'the moment of its publication' },
    branch: Type.String({ examples: ['8.4'] }),
    version: Type.String({
      description: 'of a release or a build; a branch whose support was changed',
      examples: ['8.4.25'],
    }),
    action: AuditEntry.properties.action,
    reason: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    changed: Type.Array(Type.String(), {
      description: 'of a correction or withdrawal: JSON Pointers of the members that changed',
      examples: [[]],
    }),
  },
  { $id: 'Change' },
);
export type ApiChange = Static<typeof ApiChange>;

const Changes = Type.Object({
  ...Many(ApiChange).properties,
  cursor: Type.String({
    description:
      'for `since` next time, also when there is nothing new; holds on every instance and after a restart',
    examples: [EXAMPLE_CURSOR],
  }),
  remaining: Type.Integer({ minimum: 0, description: 'how many more there are after these' }),
});

const DAY_PATTERN = '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$';

const ChangesQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      pattern: `${CURSOR_PATTERN}|${DAY_PATTERN}`,
      description: 'the cursor of the last answer, or a day; without it, from the first change on record',
      examples: ['2026-08-13'],
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
});

const changeView = ({ branch, entry }: Change): ApiChange => ({
  at: entry.at,
  branch,
  version: entry.version,
  action: entry.action,
  reason: entry.reason ?? null,
  changed: (entry.changes ?? []).map(({ pointer }) => pointer),
});

const isDay = (since: string): boolean => /^\d{4}-\d\d-\d\d$/.test(since);

const startOf = (catalogue: Catalogue, since = 'start') => {
  const position = isDay(since) ? positionAt(catalogue, since) : positionOf(catalogue, since);
  if (position) return position;
  throw new ProblemError(problems['unknown-cursor'], {
    detail: 'The cursor is ahead of the data. Start again without it, or with a date.',
  });
};

/** What was published, corrected and withdrawn, in the order in which it happened. */
export const apiChanges = (answers: Answers, path: string): void => {
  const {
    baseUrl,
    settings: { WEBSUB_HUB: hub },
  } = answers.site;
  // How subscribers find the WebSub hub of a topic that is not a feed.
  const link = hub === undefined ? undefined : `<${hub}>; rel="hub", <${baseUrl}${path}>; rel="self"`;
  answers.route(
    path,
    {
      operationId: 'changes',
      tags: ['api'],
      summary: 'What was published, corrected and withdrawn since',
      querystring: ChangesQuery,
      problems: [problems['unknown-cursor']],
      response: json(Changes),
    },
    ({ catalogue, lastModified }) =>
      ({ query }) => {
        const start = startOf(catalogue, query.since);
        const { changes, position, remaining } = changesAfter(catalogue, start, query.limit);
        const body = {
          ...envelope(lastModified),
          total: changes.length,
          items: changes.map(changeView),
          cursor: cursorText(position),
          remaining,
        };
        // Small, and there are as many as there are cursors: never remembered.
        return jsonRepresentation(Changes, body, { link });
      },
  );
};
