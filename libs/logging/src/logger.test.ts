import { createLogger, requestLogger } from './index.ts';

const capture = (level: 'info' | 'warn' = 'info') => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    name: 'demo',
    level,
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  return { logger, lines };
};

describe('createLogger', () => {
  it('writes JSON lines with service, level as a word and an ISO time', () => {
    const { logger, lines } = capture();
    logger.info({ topic: 'operations' }, 'hello');
    expect(lines).toEqual([
      {
        level: 'info',
        service: 'demo',
        topic: 'operations',
        msg: 'hello',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
  });

  it('leaves out what is below its level', () => {
    const { logger, lines } = capture('warn');
    logger.info('quiet');
    logger.warn('loud');
    expect(lines.map((line) => line['msg'])).toEqual(['loud']);
  });

  it('redacts secrets', () => {
    const { logger, lines } = capture();
    const [of, headers] = [
      { password: 'secret', token: 'secret' },
      {
        authorization: 'secret',
        cookie: 'secret',
        'x-api-key': 'secret',
        'idempotency-key': 'secret',
        accept: 'x',
      },
    ];
    logger.info({
      ...of,
      ...{ authorization: 'secret', kafka: { ...of, sasl: of }, headers, req: { headers } },
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
    expect(lines[0]).toMatchObject({ password: '[redacted]', req: { headers: { accept: 'x' } } });
  });

  it('writes the id of a request on its lines, on those of its children, and on no others', () => {
    const { logger, lines } = capture();
    const request = requestLogger(logger, 'r-1');
    request.info('one');
    request.child({ part: 'b' }).info({ token: 'p1' }, 'two');
    logger.info('three');
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'one', reqId: 'r-1', service: 'demo' }),
      expect.objectContaining({ msg: 'two', reqId: 'r-1', part: 'b', token: '[redacted]' }),
      expect.not.objectContaining({ reqId: expect.anything() }),
    ]);
  });
});
