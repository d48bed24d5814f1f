import { defineProblems } from '@workspace/service-kit/problems';

export const bulkProblems = defineProblems({
  'too-many-streams': {
    status: 503,
    title: 'Too many streams at once',
    advice: '`unknown`: retry after `Retry-After`',
  },
});
