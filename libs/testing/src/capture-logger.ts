import { createLogger, type Logger, type LogLevel } from '@workspace/logging';

/** A logger whose lines a test can read. */
export const captureLogger = (
  level: LogLevel = 'info',
): { logger: Logger; lines: Record<string, unknown>[] } => {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  return { logger: createLogger({ name: 'test', level, destination }), lines };
};
