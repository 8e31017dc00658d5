import { ManualClock } from '../../../../src/base/manual-clock';
import type { ChangeSet } from '../../../../src/domain/schedule-change';
import type { JobStore } from '../../../../src/store/job-store';
import { MemoryJobStore } from '../../../../src/store/memory/memory-job-store';
import { LoneAdditions } from '../../../../src/store/thread/lone-additions';
import type { TransactionStore } from '../../../../src/store/transaction-store';
import { job, NOW, once } from '../../../conformance/samples';

const OPTIONS = { now: NOW, misfireThreshold: 60_000 };

/** A store whose calls and direct additions are recorded. `answer` replaces the answer to a direct addition. */
function setUp(answer: () => Promise<null> | null = () => null) {
  const log: string[] = [];
  const clock = new ManualClock(NOW);
  const store = new MemoryJobStore(() => 'id');
  const applySchedule = store.applySchedule.bind(store);
  store.applySchedule = async (changes, options) => {
    log.push('store');
    return applySchedule(changes, options);
  };
  const changedElsewhere: JobStore['changedElsewhere'] = async (_, earliest) => {
    log.push(`notified ${earliest}`);
  };
  Object.assign(store, { changedElsewhere });
  const add: TransactionStore['add'] = async (changes) => {
    if (changes.length === 0) return null;
    log.push('direct');
    const given = answer();
    if (given !== null) return given;
    return { outcomes: (await applySchedule(changes, OPTIONS)).outcomes, earliest: NOW + 1 };
  };
  let count = 0;
  const addition = (): ChangeSet => {
    const name = `a${count++}`;
    return [
      { type: 'storeJob', job: job(name), ifExists: 'fail', requireTrigger: true },
      {
        type: 'storeTrigger',
        trigger: once(name, { jobKey: job(name).key }),
        ifExists: 'fail',
        startTimeDefaulted: false,
      },
    ];
  };
  const callers = new LoneAdditions(store, { add }, clock).store;
  const addOne = () => callers.applySchedule(addition(), OPTIONS);
  const addInRow = async (times: number) => {
    for (let at = 0; at < times; at++) await addOne();
  };
  return { log, clock, callers, addition, addOne, addInRow };
}

describe('additions one after another', () => {
  it('are sent from the calling thread after the first twenty, and the store is notified', async () => {
    const { log, addInRow } = setUp();
    await addInRow(22);
    expect(log.filter((entry) => entry === 'store')).toHaveLength(21); // the first of them follows no other
    await addInRow(3);
    expect(log.filter((entry) => entry === 'direct').length).toBeGreaterThan(2);
    expect(log).toContain(`notified ${NOW + 1}`);
  });

  it('notify the store together if they follow at once', async () => {
    const { log, clock, addInRow } = setUp();
    await addInRow(40);
    expect(log.filter((entry) => entry.startsWith('notified'))).toHaveLength(1);
    clock.advanceTo(NOW + 5);
    await addInRow(1);
    expect(log.filter((entry) => entry.startsWith('notified'))).toHaveLength(2);
  });

  it('are sent through the store after a pause, and when they fire', async () => {
    const { log, clock, callers, addition, addInRow, addOne } = setUp();
    await addInRow(25);
    clock.advanceTo(NOW + 6);
    await addOne();
    expect(log.at(-1)).not.toBe('direct');
    await addInRow(25);
    await callers.applySchedule(addition(), { ...OPTIONS, fireNow: { maxCount: 1, jobTypes: [] } });
    expect(log.at(-1)).not.toBe('direct');
  });

  it('are never overtaken by a later call', async () => {
    let answered: () => void = () => undefined;
    const { log, callers, addition, addInRow } = setUp(() =>
      log.includes('held')
        ? new Promise((done) => {
            answered = () => done(null);
          })
        : null,
    );
    await addInRow(25);
    log.push('held');
    const direct = callers.applySchedule(addition(), OPTIONS);
    const read = callers.getTriggerGroupNames().then(() => log.push('read'));
    const later = callers.applySchedule(addition(), OPTIONS);
    await Promise.resolve();
    expect(log.slice(log.indexOf('held') + 1)).toEqual(['direct']);
    answered();
    await Promise.all([direct, read, later]);
    expect(log.slice(log.indexOf('held') + 2)).toEqual(expect.arrayContaining(['store', 'store', 'read']));
  });

  it('that cannot be stored alone are applied by the store, and so are the next ones', async () => {
    const { log, addInRow } = setUp(() => Promise.resolve(null));
    await addInRow(30);
    expect(log.filter((entry) => entry === 'direct')).toHaveLength(1);
    expect(log.filter((entry) => entry === 'store')).toHaveLength(30);
  });

  it('go through the store again after a failure of the connection', async () => {
    const { log, addInRow, addOne } = setUp(() => Promise.reject(new Error('no connection')));
    await addInRow(21);
    await expect(addOne()).rejects.toThrow('no connection');
    await addOne();
    expect(log.filter((entry) => entry === 'direct')).toHaveLength(1);
  });
});
