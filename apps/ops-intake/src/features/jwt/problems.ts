import { defineProblems } from '@workspace/service-kit';

export const jwtProblems = defineProblems({
  forbidden: { status: 403, title: 'Not permitted' },
  'token-issuer-unavailable': { status: 503, title: 'Token issuer unavailable' },
});
