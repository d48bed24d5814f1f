import { defineProblems } from '@workspace/service-kit/problems';

export const problems = defineProblems({
  'access-denied': { status: 403, title: 'Access denied' },
  'invalid-rules': { status: 400, title: 'Invalid rules' },
});
