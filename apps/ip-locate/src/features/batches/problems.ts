import { defineProblems } from '@workspace/service-kit/problems';

export const problems = defineProblems({
  'batch-too-large': {
    status: 422,
    title: 'Too many addresses in the batch',
    advice: 'Send fewer addresses',
  },
});
