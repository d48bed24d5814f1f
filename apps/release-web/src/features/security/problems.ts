import { defineProblems } from '@workspace/service-kit/problems';

export const securityProblems = defineProblems({
  'unknown-vulnerability': {
    status: 404,
    title: 'Unknown vulnerability',
    advice: 'Use a CVE of `/api/v1/security`',
  },
});
