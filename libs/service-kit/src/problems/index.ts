export { declaredProblems, declareProblems } from './declared-problems.ts';
export {
  commonProblems,
  defineProblems,
  ProblemError,
  type ProblemOptions,
  type ProblemType,
} from './problem-error.ts';
export {
  plainPage,
  plainProblemPage,
  problemContent,
  problemMarkup,
  type ProblemPage,
  wantsPage,
  wayToRoot,
  withProblemPages,
} from './problem-page.ts';
export { type RenderProblem, renderProblemJson } from './problem-reply.ts';
