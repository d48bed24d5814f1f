import { defineProblems } from '@workspace/service-kit/problems';

export const problems = defineProblems({
  'key-required': { status: 401, title: 'API key required', advice: 'Send an API key' },
  // ipapi.co's own words
  'invalid-key': { status: 403, title: 'Invalid Key', advice: 'Send a valid key' },
});
