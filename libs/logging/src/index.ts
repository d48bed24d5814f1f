export { createLogger, LOG_LEVELS, type Logger, type LoggerOptions, type LogLevel } from './logger.ts';
export { REDACTED_PATHS } from './redaction.ts';
