import { defineProblems } from '@workspace/service-kit/problems';

export const jwtProblems = defineProblems({
  forbidden: { status: 403, title: 'Not permitted', advice: 'Get a token with the scope in `detail`' },
  'token-issuer-unavailable': {
    status: 503,
    title: 'Token issuer unavailable',
    advice: '`not-published` or, with a key or a status query, `unknown`: retry',
  },
});
