import { type DestinationStream, type Logger, pino } from 'pino';
import { REDACTED_PATHS } from './redaction.ts';
import { openStdout } from './stdout.ts';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** service name, on every line */
  name: string;
  level: LogLevel;
  /** where lines go; stdout when left out */
  destination?: DestinationStream;
}

const REQUEST_ID = Symbol('request id');
type RequestLogger = Logger & { [REQUEST_ID]?: string };

/**
 * The logger of one request: each line has its id as `reqId`. It is a pino child without the text that pino prepares for the
 * lines of each child: most requests log nothing.
 *
 * @param logger from `createLogger`, or a child of it
 */
export const requestLogger = (logger: Logger, id: string): Logger => {
  const child = Object.create(logger) as RequestLogger;
  child[REQUEST_ID] = id;
  return child;
};

/**
 * The one logger of a process: a JSON object a line on stdout, secrets redacted, level as a word, time in ISO 8601.
 * Pretty printing is a pipe (`| pino-pretty`), never a mode of the service.
 */
export const createLogger = ({ name, level, destination }: LoggerOptions): Logger =>
  pino(
    {
      level,
      base: { service: name },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: (_fields, _level, logger: RequestLogger) => ({ reqId: logger[REQUEST_ID] }),
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    destination ?? openStdout(),
  );
