export { answersWithoutExample, type DescribedApi } from './answer-examples.ts';
export { testApiClients } from './api-clients/api-clients-suite.ts';
export { testApiReference } from './api-reference-suite.ts';
export { type BuiltService, killServices, startBuiltService } from './built-service.ts';
export { captureLogger } from './capture-logger.ts';
export {
  type CollectedPoint,
  type CollectedSpan,
  type Collector,
  collectorProgram,
  startCollector,
} from './collector.ts';
export { tryOnDocsPage } from './docs-page.ts';
export { documentedSettings, settingsOf } from './documented-settings.ts';
export { eventually } from './eventually.ts';
export { clocksCanBeSet, createFakeClock, type FakeClock, LIBFAKETIME } from './fake-clock.ts';
export { statusesOf, testHostileClients } from './hostile-clients-suite.ts';
export { freePort, freePorts, isFree } from './ports.ts';
export { peakMegabytes, residentMegabytes } from './process-figures.ts';
export { type PhpNet, phpNetCommit, startPhpNet } from './php-net.ts';
export { pythonProgram, SCHEMATHESIS_TIMEOUT_MS, schemathesisEffort, schemathesisProgram } from './python.ts';
export { type Documents, documentsOf } from './documents.ts';
export { problemRows } from './problem-rows.ts';
export { readmeTable } from './readme-table.ts';
export {
  type LogLine,
  type ServiceProcess,
  type ServiceProcessOptions,
  startServiceProcess,
} from './service-process.ts';
export { smuggledRequests } from './smuggled-requests.ts';
export { describeWith, missingTools, runTool } from './tools.ts';
export { builtFile, userCacheFolder, workspaceRoot } from './workspace.ts';
export { type ShownCommand, shownCommands, shownLine } from './shown-answers.ts';
