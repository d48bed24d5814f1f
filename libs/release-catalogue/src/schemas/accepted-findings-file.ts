import { type Static, Type } from '@sinclair/typebox';
import { exact } from './scalars.ts';

/** `accepted-findings.json`: violations in old data that stay as they are. The same violation anywhere else is an error. */
export const AcceptedFindingsFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    accepted: Type.Array(
      Type.Object(
        {
          rule: Type.String({ minLength: 1 }),
          reason: Type.String({ minLength: 1 }),
          subjects: Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            description: 'what exactly is accepted, as the rule names it; the faulty value is part of it',
          }),
        },
        exact,
      ),
    ),
  },
  { ...exact, $id: 'accepted-findings', title: 'release-web: violations that are accepted' },
);
export type AcceptedFindingsFile = Static<typeof AcceptedFindingsFile>;
