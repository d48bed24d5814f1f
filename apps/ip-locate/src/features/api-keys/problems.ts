import { defineProblems } from '@workspace/service-kit';

export const problems = defineProblems({
  'key-required': { status: 401, title: 'API key required' },
  // ipapi.co's own words
  'invalid-key': { status: 403, title: 'Invalid Key' },
});
