import { defineProblems } from '@workspace/service-kit/problems';

export const ownSchemaProblems = defineProblems({
  'unknown-operation-schema': {
    status: 400,
    title: 'Unknown operation schema',
    advice: 'See the names in `detail`',
  },
});
