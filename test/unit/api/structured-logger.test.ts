import { pino } from 'pino';
import type { Logger } from '../../../src/api/logger';
import { structuredLogger } from '../../../src/api/logger';

type Line = readonly [method: string, ...args: unknown[]];

/** A logger that records its calls. */
function recorder(methods: readonly string[], others: object = {}) {
  const lines: Line[] = [];
  const own = methods.map((method) => [
    method,
    function (this: unknown, ...args: unknown[]) {
      if (this !== logger) throw new TypeError('lost its this');
      lines.push([method, ...args]);
    },
  ]);
  const logger = { ...Object.fromEntries(own), ...others } as unknown as Logger;
  return { logger, lines };
}

const LIKE_CONSOLE = ['debug', 'info', 'warn', 'error'];

describe('structuredLogger', () => {
  it('passes the message first to console, winston and similar loggers', () => {
    const { logger, lines } = recorder(LIKE_CONSOLE);
    structuredLogger(logger, 'info').warn({ code: 'QTZ1' }, 'Something');
    expect(lines).toEqual([['warn', 'Something', { code: 'QTZ1' }]]);
  });

  it('passes the fields first to pino-like loggers, and returns pino itself unchanged', () => {
    const { logger, lines } = recorder(LIKE_CONSOLE, { addSerializers: () => {} });
    structuredLogger(logger, 'info').error({ code: 'QTZ1' }, 'Something');
    expect(lines).toEqual([['error', { code: 'QTZ1' }, 'Something']]);
    const own = pino({ level: 'silent' });
    expect(structuredLogger(own, 'info')).toBe(own);
  });

  it('calls log instead of info for Nest loggers', () => {
    const isLevelEnabled = (level: string) => level === 'log';
    const { logger, lines } = recorder(['debug', 'log', 'warn', 'error'], { isLevelEnabled });
    const structured = structuredLogger(logger, 'error');
    expect([structured.isLevelEnabled('info'), structured.isLevelEnabled('error')]).toEqual([true, false]);
    structured.info({ code: 'QTZ1' }, 'Started');
    expect(lines).toEqual([['log', 'Started', { code: 'QTZ1' }]]);
  });

  it.each([
    ['trace', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['fatal', []],
    ['silent', []],
  ] as const)('uses the configured level if the logger has no level check: %s', (least, enabled) => {
    const structured = structuredLogger(recorder(LIKE_CONSOLE).logger, least);
    expect((['debug', 'info', 'warn', 'error'] as const).filter(structured.isLevelEnabled)).toEqual(enabled);
  });

  it('passes an error as plain fields, because JSON would omit the fields of an error', () => {
    const { logger, lines } = recorder(LIKE_CONSOLE);
    const error = Object.assign(new TypeError('broken'), { code: 'E1' });
    structuredLogger(logger, 'info').error({ err: error }, 'Failed');
    const err = { name: 'TypeError', message: 'broken', code: 'E1', stack: error.stack };
    expect(lines).toEqual([['error', 'Failed', { err }]]);
  });

  it.each([
    [null],
    [{}],
    [() => {}],
    [{ info() {}, warn() {}, error() {} }],
  ])('refuses an invalid logger: %p', (none) => {
    expect(() => structuredLogger(none as never, 'info')).toThrow(
      /Expected a logger with the methods error, warn, info/,
    );
  });
});
