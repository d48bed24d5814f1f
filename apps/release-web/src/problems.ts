import { defineProblems } from '@workspace/service-kit/problems';

/** Every problem of the core beside those of service-kit. */
export const problems = defineProblems({
  'unknown-choice': { status: 400, title: 'Unknown parameter value' },
  'unknown-cursor': { status: 400, title: 'Unknown cursor' },
  'unknown-branch': { status: 404, title: 'Unknown branch' },
  'unknown-release': { status: 404, title: 'Unknown release' },
  'no-public-keys': { status: 404, title: 'No public keys' },
  'no-data': { status: 503, title: 'No valid data loaded' },
});
