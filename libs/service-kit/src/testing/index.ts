export { captureLogger } from './capture-logger.ts';
export { environmentRows, refusalRows } from './expected-rows.ts';
export { readmeTable } from './readme-table.ts';
export {
  type LogLine,
  type ServiceProcess,
  type ServiceProcessOptions,
  startServiceProcess,
} from './service-process.ts';
