import { type DestinationStream, type Logger, pino } from 'pino';
import { REDACTED_PATHS } from './redaction.ts';

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
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    // Synchronous: the last line of a dying process is the one that matters.
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
