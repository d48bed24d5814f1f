import { defineProblems } from '@workspace/service-kit/problems';

export const problems = defineProblems({
  'access-denied': { status: 403, title: 'Access denied', advice: 'Ask the operator of the site' },
  'invalid-rules': {
    status: 400,
    title: 'Invalid rules',
    advice: 'Correct the rules; `detail` names the parameter',
  },
});
