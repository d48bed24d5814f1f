import { type Static, Type } from '@sinclair/typebox';

const exact = { additionalProperties: false };

/** `accepted-findings.json`: faults of old data that stay as they are. The same fault anywhere else is an error. */
export const AcceptedFindingsFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    accepted: Type.Array(
      Type.Object(
        { rule: Type.String(), subject: Type.String(), reason: Type.Optional(Type.String()) },
        exact,
      ),
    ),
  },
  { ...exact, $id: 'accepted-findings', title: 'release-web: findings that are accepted' },
);
export type AcceptedFindingsFile = Static<typeof AcceptedFindingsFile>;
