export { createLogger, LOG_LEVELS, type Logger, type LogLevel, requestLogger } from './logger.ts';
