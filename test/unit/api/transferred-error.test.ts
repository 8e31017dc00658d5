import { fromTransferredError, toTransferredError } from '../../../src/api/transferred-error';
import { ObjectAlreadyExistsError, SchedulerError, SchedulerStateError } from '../../../src/base/errors';
import { CronExpression } from '../../../src/domain/cron/cron-expression';
import { CronSyntaxError } from '../../../src/domain/cron/cron-syntax-error';

const transferred = (thrown: unknown) => fromTransferredError(structuredClone(toTransferredError(thrown)));

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

class OwnError extends SchedulerError {}

describe('an error transferred between threads', () => {
  it.each([
    ['a scheduler error', new SchedulerError('STORE_FAILURE', 'down'), SchedulerError],
    ['a subclass of SchedulerError', new ObjectAlreadyExistsError('job', 'a.b'), ObjectAlreadyExistsError],
    ['another subclass of SchedulerError', new SchedulerStateError('gone'), SchedulerStateError],
    ['an unlisted subclass', new OwnError('STORE_FAILURE', 'own'), SchedulerError],
    ['a cron syntax error', thrownBy(() => new CronExpression('0 0 0 ? * XXX')), CronSyntaxError],
    ['a TypeError', new TypeError('wrong'), TypeError],
    ['an error of another library', Object.assign(new Error('lost'), { errno: 1213 }), Error],
  ])('keeps class, name, code, message, stack and fields of %s', (_, error, type) => {
    const arrived = transferred(error);
    expect(arrived).toBeInstanceOf(type);
    expect(arrived).toEqual(error);
    expect({ ...arrived }).toEqual({ ...(error as object) });
    expect([arrived.name, arrived.stack]).toEqual([(error as Error).name, (error as Error).stack]);
  });

  it('keeps its causes up to a maximum depth', () => {
    const error = new SchedulerError('STORE_FAILURE', 'outer', { cause: new TypeError('inner') });
    expect(transferred(error).cause).toEqual(error.cause);
    const circle = new Error('round');
    circle.cause = circle;
    let depth = 0;
    for (let level: unknown = transferred(circle); level instanceof Error; level = level.cause) depth++;
    expect(depth).toBe(6);
  });

  it('drops fields that are not plain data', () => {
    const error = Object.assign(new Error('x'), {
      run: () => {},
      path: ['a', 1],
      socket: { open: true },
      symbol: Symbol(),
    });
    expect({ ...transferred(error) }).toEqual({ path: ['a', 1] });
  });

  it('keeps its class even if it has a field className', () => {
    const error = Object.assign(new Error('x'), { className: 'SchedulerError', message: 'y' });
    expect(transferred(error)).not.toBeInstanceOf(SchedulerError);
    expect(transferred(error).message).toBe('y');
  });

  it.each([
    ['text', 'text'],
    [null, 'null'],
    [undefined, 'undefined'],
    [{ a: 1 }, '{ a: 1 }'],
  ])('is created from the thrown value %p', (thrown, message) => {
    expect(transferred(thrown).message).toBe(message);
  });
});
