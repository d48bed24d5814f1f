import { defineProblems } from '@workspace/service-kit';

/** Every problem of this service beside the kit's own. */
export const problems = defineProblems({
  'unknown-choice': { status: 400, title: 'A parameter has a value that is not one of its choices' },
  'unknown-cursor': { status: 400, title: 'No page of this list has this cursor' },
  'unknown-branch': { status: 404, title: 'No such branch is on record' },
  'unknown-release': { status: 404, title: 'No such release is on record' },
});
