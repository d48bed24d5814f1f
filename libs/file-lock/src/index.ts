export { exclusively } from './exclusively.ts';
