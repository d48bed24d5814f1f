export { captureLogger } from './capture-logger.ts';
export { readmeTable } from './readme-table.ts';
