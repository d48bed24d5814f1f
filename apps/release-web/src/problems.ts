import { defineProblems } from '@workspace/service-kit/problems';

/** Every problem of the core beside those of service-kit. */
export const problems = defineProblems({
  'unknown-choice': {
    status: 400,
    title: 'Unknown parameter value',
    advice: 'Use a value that `detail` names',
  },
  'unknown-cursor': { status: 400, title: 'Unknown cursor', advice: 'Begin without `cursor`' },
  'unknown-branch': { status: 404, title: 'Unknown branch', advice: 'Use a branch of `/api/v1/branches`' },
  'unknown-release': { status: 404, title: 'Unknown release', advice: 'Use a version of `/api/v1/releases`' },
  'no-public-keys': {
    status: 404,
    title: 'No public keys',
    advice: 'Use `/api/v1/keys` to see what is there',
  },
  'no-data': { status: 503, title: 'No valid data loaded', advice: 'Retry after `Retry-After`' },
});
