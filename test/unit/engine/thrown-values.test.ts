import { createContext, runInContext } from 'node:vm';
import { structuredLogger } from '../../../src/api/logger';
import { fromTransferredError, toTransferredError } from '../../../src/api/transferred-error';
import { stackWithCauses } from '../../../src/base/error-values';
import { toError } from '../../../src/base/errors';
import { maskValue } from '../../../src/base/secrets';
import { errorFields } from '../../../src/scheduler/own-loggers';
import { createTestScheduler } from '../../../src/testing';

const timeout = () => AbortSignal.timeout(0).reason ?? new DOMException('The operation timed out', 'TimeoutError');

function cloneFailure(): unknown {
  try {
    return structuredClone(() => undefined);
  } catch (error) {
    return error;
  }
}

function OldError(this: Error) {
  this.message = 'old';
  this.stack = 'OldError: old\n    at job';
}
OldError.prototype = Object.create(Error.prototype, { name: { value: 'OldError' } });

const withGetter = () => {
  class Lazy extends Error {
    override get message() {
      return 'lazy';
    }
  }
  return Object.assign(new Lazy(), { stack: 'Lazy: lazy\n    at job' });
};

const foreign = () => runInContext("Object.assign(new TypeError('foreign'), { code: 'E' })", createContext());

/** Values that jobs throw: the value, its name, its message, and text of its recorded stack. */
const THROWN: readonly (readonly [string, () => unknown, string, string, string])[] = [
  ['a DOMException of a timeout', timeout, 'TimeoutError', 'time', 'TimeoutError'],
  ['the DOMException of structuredClone', cloneFailure, 'DataCloneError', 'could not be cloned', 'DataCloneError'],
  ['an error of another realm', foreign, 'TypeError', 'foreign', 'TypeError: foreign'],
  [
    'an object with the prototype of errors',
    () => new (OldError as never as new () => Error)(),
    'OldError',
    'old',
    'at job',
  ],
  ['an error whose message is a getter', withGetter, 'Error', 'lazy', 'Lazy: lazy\n    at job'],
  [
    'a plain object',
    () => ({ name: 'GrpcError', message: 'no', stack: 'GrpcError: no\n at x' }),
    'GrpcError',
    'no',
    'at x',
  ],
  ['an object without a message', () => ({ status: 503 }), 'Error', '{ status: 503 }', 'Error: { status: 503 }'],
  ['a string', () => 'text', 'Error', 'text', 'Error: text'],
  ['undefined', () => undefined, 'Error', 'undefined', 'Error: undefined'],
  ['a frozen error', () => Object.freeze(new RangeError('cold')), 'RangeError', 'cold', 'RangeError: cold'],
  [
    'an AggregateError',
    () => new AggregateError([new Error('one'), new TypeError('two')], 'both'),
    'AggregateError',
    'both',
    'One of: TypeError: two',
  ],
  [
    'an error whose cause is a plain object',
    () => new Error('outer', { cause: { status: 503 } }),
    'Error',
    'outer',
    'Caused by: { status: 503 }',
  ],
];

describe.each(THROWN)('%s that a job throws', (_, create, name, message, stack) => {
  it('keeps its name, message and stack', () => {
    const error = toError(create());
    expect(error.name).toBe(name);
    expect(error.message).toContain(message);
    expect(stackWithCauses(error)).toContain(stack);
    expect(stackWithCauses(error)).not.toContain('base/errors');
  });

  it('keeps its name, message and stack in the event and in the recorded run', async () => {
    const failures: Error[] = [];
    const jobs = {
      bad: async () => {
        throw create();
      },
    };
    const { scheduler, runDue } = await createTestScheduler({ jobs });
    scheduler.subscribe((event) => {
      if (event.type === 'jobFailed') failures.push(event.error);
    });
    await scheduler.enqueue('bad');
    await runDue();
    const [run] = (await scheduler.listRuns({ limit: 1 })).items;
    await scheduler.shutdown();
    const cause = failures[0]?.cause as Error;
    expect([cause.name, cause.message]).toEqual([name, expect.stringContaining(message)]);
    expect(run?.stack).toContain(stack);
    expect(run?.stack).not.toContain('base/errors');
  });

  it('keeps its name, message and stack when transferred from a thread', () => {
    const error = fromTransferredError(structuredClone(toTransferredError(create())));
    expect([error.name, error.message]).toEqual([name, expect.stringContaining(message)]);
    expect(error.stack).toContain(stack.split(/(?:One of|Caused by): /)[0]);
  });

  it('keeps its name and message in the lines of every logger, with secrets masked', () => {
    const masked = maskValue(toError(create())) as Error;
    expect([masked.name, masked.message]).toEqual([name, expect.stringContaining(message)]);
    expect(errorFields(toError(create()))).toMatchObject({ message: expect.stringContaining(message) });
    const lines: unknown[] = [];
    const write = (...args: unknown[]) => void lines.push(args);
    const error = toError(create());
    structuredLogger({ error: write, warn: write, info: write, debug: write }, 'debug').error({ err: error }, 'x');
    const [text, { err }] = lines[0] as [string, { err: { name: string; message: string; stack: string } }];
    expect([text, err.name, err.message]).toEqual(['x', name, expect.stringContaining(message)]);
    expect(err.stack).toContain(stack);
  });
});

describe('a DOMException', () => {
  it('is kept as the same object, and its masked copy is readable', () => {
    const error = new DOMException('at mysql://u:secret@host', 'TimeoutError');
    expect(toError(error)).toBe(error);
    const masked = maskValue(error) as DOMException;
    expect({ name: masked.name, message: masked.message, code: masked.code }).toEqual({
      name: 'TimeoutError',
      message: 'at mysql://***@host',
      code: 23,
    });
    expect(Object.keys(errorFields(error) as object)).toContain('stack');
    expect(fromTransferredError(toTransferredError(error))).toBeInstanceOf(DOMException);
  });
});

describe('loggers other than pino', () => {
  const failure = () =>
    new Error('outer', {
      cause: new AggregateError([new Error('refused 1'), Object.assign(new Error('refused 2'), { code: 'E2' })], 'all'),
    });

  it.each([
    ['winston, console and Nest', {}, 1],
    ['bunyan', { addSerializers: () => undefined }, 0],
  ])('receive causes and inner errors: %s', (_, own, at) => {
    const lines: unknown[][] = [];
    const write = (...args: unknown[]) => void lines.push(args);
    const logger = { ...own, error: write, warn: write, info: write, debug: write };
    structuredLogger(logger, 'debug').error({ err: failure() }, 'Job failed');
    const { err } = JSON.parse(JSON.stringify(lines[0]?.[at]));
    expect(err).toMatchObject({
      message: 'outer',
      cause: {
        name: 'AggregateError',
        message: 'all',
        errors: [{ message: 'refused 1' }, { message: 'refused 2', code: 'E2' }],
      },
    });
    expect(err.stack).toMatch(/Error: outer[\s\S]*Caused by: AggregateError: all[\s\S]*One of: Error: refused 2/);
  });
});
