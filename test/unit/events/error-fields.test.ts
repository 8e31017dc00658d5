import { pino } from 'pino';
import { SchedulerError } from '../../../src/base/errors';
import { errorFields } from '../../../src/scheduler/own-loggers';

describe('an error in a log line', () => {
  const cause = new Error('the node was taken for dead');

  it('contains each message once, and the stacks of its causes', () => {
    const error = new SchedulerError('STORE_FAILURE', `The job store failed. ${cause.message}`, { cause });
    const fields = errorFields(error) as Record<string, string>;
    expect(fields).toMatchObject({ type: 'SchedulerError', code: 'STORE_FAILURE', message: error.message });
    expect(fields.stack).toContain('caused by: Error: the node was taken for dead');
  });

  it('contains the messages of its causes', () => {
    const error = new Error('it failed', { cause: new Error('it was cut off', { cause }) });
    expect(errorFields(error)).toMatchObject({ message: 'it failed: it was cut off: the node was taken for dead' });
  });

  it('ends at a circular cause, and a value that is not an error is unchanged', () => {
    const error = new Error('circle');
    error.cause = error;
    expect(errorFields(error)).toMatchObject({ message: 'circle' });
    expect(errorFields('text')).toBe('text');
  });

  it('is written by pino with these fields', () => {
    const lines: string[] = [];
    const logger = pino({ serializers: { err: errorFields } }, { write: (line: string) => lines.push(line) });
    logger.error({ err: new Error(`failed: ${cause.message}`, { cause }) }, 'failed');
    expect(JSON.parse(lines[0] ?? '').err.message).toBe('failed: the node was taken for dead');
  });
});
