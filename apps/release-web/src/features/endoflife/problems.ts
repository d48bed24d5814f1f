import { defineProblems } from '@workspace/service-kit/problems';

export const endoflifeProblems = defineProblems({
  'unknown-product': { status: 404, title: 'Unknown product', advice: 'Use `php`' },
});
