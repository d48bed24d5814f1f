import { defineProblems } from '@workspace/service-kit/problems';

export const jwtProblems = defineProblems({
  forbidden: { status: 403, title: 'Not permitted' },
  'token-issuer-unavailable': { status: 503, title: 'Token issuer unavailable' },
});
