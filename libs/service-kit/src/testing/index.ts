export { captureLogger } from './capture-logger.ts';
export { readmeTable } from './readme-table.ts';
export {
  type LogLine,
  type ServiceProcess,
  type ServiceProcessOptions,
  startServiceProcess,
} from './service-process.ts';
