import { defineProblems } from '@workspace/service-kit';

export const problems = defineProblems({
  'batch-too-large': { status: 422, title: 'Too many addresses in the batch' },
});
