import { ManualClock } from '../../../../src/base/manual-clock';
import { triggerKey } from '../../../../src/domain/keys';
import type { UnreadableRow } from '../../../../src/domain/scheduler-event';
import { KnownUnreadable, UnreadableRows } from '../../../../src/store/sql/rows/unreadable-rows';

const MINUTE = 60_000;
const JOB = { what: 'job', group: 'g', name: 'j' } as const;

describe('the quarantine of unreadable rows', () => {
  const setUp = () => {
    const clock = new ManualClock(1_000);
    const told: (UnreadableRow & { silenced: boolean })[] = [];
    const rows = new UnreadableRows(clock, (row, silenced) => told.push({ ...row, silenced }));
    let readings = 0;
    const refuse = (message: string) => () => {
      readings++;
      throw new Error(message);
    };
    const met = (name: string, fingerprint = 'as it was', nextFireTime = 7) => ({
      key: triggerKey(name, 'g'),
      nextFireTime,
      fingerprint: () => fingerprint,
      uses: () => [JOB],
    });
    return { clock, told, rows, refuse, met, readings: () => readings };
  };

  it('reads and reports an unreadable row once, and reads it again after a change', () => {
    const { rows, told, refuse, met, readings } = setUp();
    expect(rows.hasNoTrigger).toBe(true);
    expect(rows.readTrigger(met('a'), refuse('bad class'))).toBeNull();
    expect(rows.readTrigger(met('a'), refuse('bad class'))).toBeNull();
    expect(readings()).toBe(1);
    expect(told).toEqual([
      { what: 'trigger', group: 'g', name: 'a', cause: 'bad class', since: 1_000, silenced: false },
    ]);
    expect(rows.readTrigger(met('a', 'changed'), refuse('bad class'))).toBeNull();
    expect([readings(), told.length]).toEqual([2, 1]);
    expect(rows.readTrigger(met('a', 'changed'), () => 'never asked')).toBeNull();
    expect(rows.readTrigger(met('a', 'mended'), () => 'read')).toBe('read');
    expect([rows.rows, rows.hasNoTrigger]).toEqual([[], true]);
  });

  it('keeps the time of the first failure, and reports a new cause', () => {
    const { rows, told, clock, refuse, met } = setUp();
    rows.readTrigger(met('a'), refuse('one'));
    clock.advanceBy(MINUTE);
    rows.readTrigger(met('a', 'changed'), refuse('one'));
    expect(rows.rows).toMatchObject([{ cause: 'one', since: 1_000 }]);
    rows.readTrigger(met('a', 'changed again'), refuse('two'));
    expect(told.map(({ cause, since }) => [cause, since])).toEqual([
      ['one', 1_000],
      ['two', 1_000 + MINUTE],
    ]);
  });

  it('skips a trigger by key and fire time until this node changes its job', () => {
    const { rows, refuse, met } = setUp();
    const key = triggerKey('a', 'g');
    rows.readTrigger(met('a'), refuse('bad'));
    expect([rows.isSkipped(key, 7), rows.isSkipped(key, 8)]).toEqual([true, false]);
    expect(rows.changed(() => [{ ...JOB, name: 'another' }])).toBe(false);
    expect(rows.isSkipped(key, 7)).toBe(true);
    expect(rows.changed(() => [JOB])).toBe(true);
    expect(rows.isSkipped(key, 7)).toBe(false);
  });

  it('reports an unreadable job once, however many triggers it keeps from firing', () => {
    const { rows, told, refuse, met, readings } = setUp();
    const readJob = () => rows.read(JOB, () => 'data', refuse('bad data'));
    for (const name of ['a', 'b', 'c']) expect(rows.readTrigger(met(name), readJob)).toBeNull();
    expect(readings()).toBe(1);
    expect(told).toMatchObject([{ what: 'job', name: 'j', cause: 'bad data' }]);
    expect(rows.rows).toHaveLength(4);
    expect(readJob).toThrow(KnownUnreadable);
    expect(rows.read(JOB, () => 'mended', () => 'data')).toBe('data'); // biome-ignore format: one line
  });

  it('keeps a trigger without a computable fire time until the computation succeeds', () => {
    const { rows, refuse, met } = setUp();
    rows.compute(met('a'), refuse('unknown zone'));
    expect(rows.readTrigger(met('a'), () => 'read')).toBeNull();
    expect(rows.readTrigger(met('a', 'changed'), () => 'read')).toBe('read');
    expect(rows.rows).toHaveLength(1);
    expect(rows.compute(met('a', 'changed'), () => 'computed')).toBe('computed');
    expect(rows.rows).toEqual([]);
  });

  it('reports at most a hundred rows a minute, and marks the last report as silenced', () => {
    const { rows, told, clock, refuse, met } = setUp();
    for (let index = 0; index < 150; index++) rows.readTrigger(met(`t${index}`), refuse('bad'));
    expect(told).toHaveLength(100);
    expect(told.map(({ silenced }) => silenced).lastIndexOf(true)).toBe(99);
    expect(told.map(({ silenced }) => silenced).indexOf(true)).toBe(99);
    expect(rows.rows).toHaveLength(150);
    clock.advanceBy(MINUTE);
    rows.readTrigger(met('later'), refuse('bad'));
    expect(told).toHaveLength(101);
  });

  it('checks the rows first that were not checked for the longest time', () => {
    const { rows, clock, refuse, met } = setUp();
    for (const name of ['a', 'b', 'c']) {
      rows.readTrigger(met(name), refuse('bad'));
      clock.advanceBy(1);
    }
    rows.readTrigger(met('a'), refuse('bad'));
    const keys = ['a', 'b', 'c'].map((name) => triggerKey(name, 'g'));
    expect(rows.oldest(keys, 2).map(({ name }) => name)).toEqual(['b', 'c']);
  });
});
