import { SchedulerError } from '../../../../src/base/errors';
import { systemRandom } from '../../../../src/base/ids';
import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { awaitDatabase } from '../../../../src/store/sql/runtime/await-database';
import { SqlError, type SqlErrorKind } from '../../../../src/store/sql/runtime/sql-driver';

const failure = (kind: SqlErrorKind) => {
  const cause = new SqlError({ kind, databaseCode: 'E', statement: null, message: 'no' });
  return new SchedulerError('STORE_FAILURE', 'The job store failed.', { cause });
};

/** Opens a database that is up `upAfter` milliseconds from now, and advances the clock until opening ends. */
async function opening(upAfter: number, startTimeout: number, kind: SqlErrorKind = 'connectionLost') {
  const clock = new ManualClock(0);
  const warnings: string[] = [];
  let attempts = 0;
  const open = async () => {
    attempts++;
    if (clock.monotonic() < upAfter) throw failure(kind);
    return 'open';
  };
  let end: { readonly outcome: unknown } | null = null;
  const options = { clock, random: systemRandom, startTimeout, onWarning: (text: string) => void warnings.push(text) };
  awaitDatabase(open, options).then(
    (outcome) => {
      end = { outcome };
    },
    (outcome) => {
      end = { outcome };
    },
  );
  for (await yieldToEventLoop(); end === null; await yieldToEventLoop()) clock.advanceBy(50);
  return { ...(end as { readonly outcome: unknown }), attempts, warnings, took: clock.monotonic() };
}

describe('a database that is not up yet', () => {
  it('is not waited for unless startTimeout is set', async () => {
    expect(await opening(1_000, 0)).toMatchObject({ outcome: { code: 'STORE_FAILURE' }, attempts: 1, warnings: [] });
  });

  it('is waited for, and opened within 2 s after it is up', async () => {
    const { outcome, took, warnings } = await opening(20_000, 60_000);
    expect(outcome).toBe('open');
    expect(took).toBeLessThanOrEqual(22_050);
    expect(warnings).toEqual([expect.stringMatching(/cannot be reached.*up to 60 s/)]);
  });

  it('is reported with the last error when startTimeout has passed', async () => {
    const { outcome, took } = await opening(Number.POSITIVE_INFINITY, 10_000);
    expect(outcome).toMatchObject({ code: 'STORE_FAILURE' });
    expect(took).toBeGreaterThanOrEqual(10_000);
    expect(took).toBeLessThanOrEqual(10_050);
  });

  it.each<[SqlErrorKind, RegExp]>([
    ['lockTimeout', /is busy/],
    ['busy', /is busy/],
    ['deadlock', /is busy/],
    ['readOnly', /is read-only/],
    ['connectionLimit', /refuses connections/],
  ])('is also waited for while it cannot serve requests: %s', async (kind, warning) => {
    const { outcome, warnings } = await opening(20_000, 60_000, kind);
    expect(outcome).toBe('open');
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it('is not waited for if its schema is wrong', async () => {
    expect(await opening(1_000, 60_000, 'schema')).toMatchObject({ outcome: { code: 'STORE_FAILURE' }, attempts: 1 });
  });
});
