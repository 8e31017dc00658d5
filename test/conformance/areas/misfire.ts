import type { TriggerFiring } from '../../../src/domain/firing';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { MisfireSweep } from '../../../src/store/job-store';
import { IS_LONG } from '../../support/long-forms';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, SECOND, without } from '../samples';
import { namesOf } from '../store-driver';

const LATE = NOW - HOUR;

const misfiredIn = ({ misfired }: MisfireSweep) => misfired.map(({ key }) => key.name);

/** Misfires: found by lateness alone, handled by the instruction of the trigger. */
export function describeMisfires(context: StoreContext): void {
  describe('misfire handling', () => {
    describeRecovery(context);
    describeLimits(context);
    describeNonConcurrent(context);
    describeStartWithin(context);
  });
}

function describeStartWithin({ driver }: StoreContext): void {
  const missed = { startTime: LATE, misfireInstruction: 'FIRE_NOW' } as const;
  const recorded = async () => (await driver().store.listRuns({ take: 10 })).items;

  it.each([
    'job',
    'trigger',
  ] as const)('skips and records a trigger that is later than startWithin of its %s, whatever the instruction', async (of) => {
    const policy = { startWithin: 20 * MINUTE, history: 'all' as const };
    await driver().schedule(
      job('job', of === 'job' ? { policy } : {}),
      everyMinute('each', { ...missed, ...(of === 'trigger' && { policy }) }),
    );
    expect(misfiredIn(await driver().recoverMisfires())).toEqual(['each']);
    expect((await driver().trigger('each')).nextFireTime).toBeGreaterThan(NOW);
    expect(await recorded()).toMatchObject([{ outcome: 'misfired', scheduledTime: LATE }]);
  });

  it('fires a trigger now if it is within startWithin', async () => {
    const policy = { startWithin: 2 * HOUR };
    await driver().schedule(job(), everyMinute('each', { ...missed, policy }));
    await driver().recoverMisfires();
    expect((await driver().trigger('each')).nextFireTime).toBe(NOW);
  });

  it('ends a one-shot trigger that is later than startWithin', async () => {
    await driver().schedule(
      job('job', { durable: true }),
      once('late', { startTime: LATE, policy: { startWithin: MINUTE } }),
    );
    expect((await driver().recoverMisfires()).finalized).toHaveLength(1);
    expect(await driver().fireDue()).toEqual([]);
  });

  it('skips fire times that became too late during a pause', async () => {
    const policy = { startWithin: 20 * MINUTE };
    await driver().schedule(job('job', { policy }), everyMinute('each', missed));
    await driver().store.pauseTriggers([triggerKey('each')]);
    await driver().store.resumeTriggers([triggerKey('each')], driver().options);
    expect((await driver().trigger('each')).nextFireTime).toBeGreaterThan(NOW);
  });

  it('leaves fire times to catchUp, even if they are later than startWithin', async () => {
    const policy = { startWithin: MINUTE, catchUp: { max: 2, window: HOUR * 2, pace: 0 } };
    await driver().schedule(job(), everyMinute('each', { startTime: NOW - 30 * MINUTE, policy }));
    await driver().recoverMisfires();
    expect(await driver().fireDue()).toHaveLength(2);
  });
}

function describeRecovery({ driver }: StoreContext): void {
  it('handles triggers later than the threshold, and returns them as they were', async () => {
    await driver().scheduleAll(
      everyMinute('misfired', { startTime: LATE + SECOND, misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT' }),
      everyMinute('late', { startTime: NOW - MINUTE }),
      everyMinute('ignoring', { startTime: LATE, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
    );
    const before = await driver().trigger('misfired');
    expect(await driver().recoverMisfires()).toEqual({
      misfired: [before],
      finalized: [],
      endedByCalendar: [],
      deletedJobs: [],
      earliestNextFireTime: NOW + SECOND,
      more: false,
    });
    expect(await driver().trigger('misfired')).toMatchObject({ nextFireTime: NOW + SECOND, startTime: LATE + SECOND });
    expect((await driver().trigger('late')).nextFireTime).toBe(NOW - MINUTE);
    expect((await driver().trigger('ignoring')).nextFireTime).toBe(LATE);
    expect((await driver().recoverMisfires()).misfired).toEqual([]);
  });

  it('makes a trigger available that must fire now', async () => {
    await driver().scheduleAll(once('trigger', { startTime: LATE }));
    expect(await driver().acquire()).toEqual([]);
    expect(await driver().recoverMisfires()).toMatchObject({ earliestNextFireTime: NOW });
    expect((await driver().fireOne()).scheduledFireTime).toBe(NOW);
  });

  it('resets the counts of a trigger that it restarts, even past its end time', async () => {
    const misfireInstruction = 'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT';
    const fields = { repeatCount: 1, misfireInstruction, endTime: NOW + 2 * MINUTE } as const;
    await driver().scheduleAll(everyMinute('ended', fields), everyMinute('goes on', { ...fields, endTime: null }));
    for (const firing of await driver().fireDue()) await driver().complete(firing);
    driver().now = NOW + HOUR;
    const { finalized } = await driver().recoverMisfires();
    const restarted = { previousFireTime: NOW, repeatCount: 0, timesTriggered: 0 };
    expect(finalized).toMatchObject([{ key: { name: 'ended' }, ...restarted, nextFireTime: null }]);
    expect(await driver().trigger('goes on')).toMatchObject({ ...restarted, nextFireTime: NOW + HOUR });
  });

  it('deletes a trigger without further fire times, and reports it', async () => {
    await driver().scheduleAll(
      everyMinute('trigger', {
        startTime: LATE,
        endTime: NOW - MINUTE,
        misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT',
      }),
    );
    const sweep = await driver().recoverMisfires();
    expect(sweep).toMatchObject({ earliestNextFireTime: null, more: false });
    expect(sweep.finalized).toMatchObject([{ key: { name: 'trigger' }, nextFireTime: null }]);
    expect(await driver().state()).toBeNull();
  });

  it('follows the calendar of the trigger', async () => {
    await driver().applyOne({
      type: 'storeCalendar',
      name: 'holidays',
      calendar: without('2026-01-02'),
      ifExists: 'fail',
      updateTriggers: false,
    });
    const fields = { startTime: NOW - 2 * DAY, calendarName: 'holidays', misfireInstruction: 'DO_NOTHING' } as const;
    await driver().scheduleAll(everyNoon('trigger', fields));
    driver().now = NOW + 1;
    await driver().recoverMisfires();
    expect((await driver().trigger()).nextFireTime).toBe(NOW + 2 * DAY);
  });

  it('announces the earliest new fire time, and nothing without misfires', async () => {
    await driver().scheduleAll(once('trigger', { startTime: LATE }));
    driver().announced = [];
    await driver().recoverMisfires();
    await driver().recoverMisfires();
    expect(driver().announced).toEqual([NOW]);
  });

  it('does not change paused, reserved, complete or failed triggers', async () => {
    await driver().scheduleAll(...['acquired', 'complete', 'failed', 'paused'].map((name) => everyMinute(name)));
    await driver().store.pauseTriggers([triggerKey('paused')]);
    await driver().acquireOne();
    const [complete, failed] = await driver().fireDue();
    await driver().complete(complete as TriggerFiring, 'SET_TRIGGER_COMPLETE');
    await driver().complete(failed as TriggerFiring, 'SET_TRIGGER_ERROR');
    const before = await driver().everything();
    driver().now = NOW + DAY;
    expect((await driver().recoverMisfires()).misfired).toEqual([]);
    expect(await driver().everything()).toEqual(before);
  });
}

function describeLimits({ driver, capabilities }: StoreContext): void {
  it('handles the longest waiting first, up to a maximum, and reports if there are more', async () => {
    await driver().scheduleAll(
      once('b', { startTime: LATE + 1, priority: 4 }),
      once('c', { startTime: LATE + 2 }),
      once('a', { startTime: LATE + 1, priority: 5 }),
    );
    const first = await driver().recoverMisfires(2);
    expect([misfiredIn(first), first.more]).toEqual([['a', 'b'], true]);
    const second = await driver().recoverMisfires(2);
    expect([misfiredIn(second), second.more]).toEqual([['c'], false]);
  });

  it('reports that there are no more if it has handled exactly all', async () => {
    await driver().scheduleAll(once('a', { startTime: LATE }), once('b', { startTime: LATE }));
    expect(await driver().recoverMisfires(2)).toMatchObject({ misfired: { length: 2 }, more: false });
  });

  it('covers triggers of every job type, even types that this node cannot run', async () => {
    await driver().schedule(job('x', { jobType: 'x' }), once('x', { startTime: LATE + 1 }));
    await driver().schedule(job('y', { jobType: 'y' }), once('y', { startTime: LATE }));
    expect(misfiredIn(await driver().recoverMisfires())).toEqual(['y', 'x']);
  });

  it('handles a long backlog in portions', async () => {
    const count = capabilities.largeSchedules && IS_LONG ? 10_000 : 500;
    const triggers = Array.from({ length: count }, (_, index) => once(`t${index}`, { startTime: LATE + index }));
    await driver().scheduleAll(...triggers);
    let recovered = 0;
    let more = true;
    for (let sweeps = 0; more && sweeps < count; sweeps++) {
      const sweep = await driver().recoverMisfires(100);
      recovered += sweep.misfired.length;
      more = sweep.more;
    }
    expect(recovered).toBe(count);
    expect(await driver().acquire({ maxCount: count })).toHaveLength(count);
  });
}

function describeNonConcurrent({ driver }: StoreContext): void {
  const serial = job('serial', { disallowConcurrentExecution: true });

  it('covers every misfired trigger of a non-concurrent job in one sweep', async () => {
    const names = ['a', 'b', 'c'];
    await driver().schedule(serial, ...names.map((name, index) => once(name, { startTime: LATE + index })));
    expect(misfiredIn(await driver().recoverMisfires())).toEqual(names);
  });

  it('finds a misfired trigger although another one of its job waits longer and ignores misfires', async () => {
    await driver().schedule(
      serial,
      everyMinute('ignoring', { startTime: LATE, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
      everyMinute('misfiring'),
    );
    expect((await driver().recoverMisfires()).misfired).toEqual([]);
    driver().now = NOW + MINUTE + 1;
    expect(misfiredIn(await driver().recoverMisfires())).toEqual(['misfiring']);
  });

  it('waits until the job has ended, because a blocked trigger does not misfire', async () => {
    await driver().schedule(serial, everyMinute('a'), everyMinute('b'));
    const firing = await driver().fireOne();
    driver().now = NOW + HOUR;
    expect((await driver().recoverMisfires()).misfired).toEqual([]);
    await driver().complete(firing);
    expect(misfiredIn(await driver().recoverMisfires())).toEqual(['b', 'a']);
  });

  it('keeps a due trigger available while another trigger of its job has misfired', async () => {
    await driver().schedule(serial, once('misfired', { startTime: LATE }), once('due'));
    expect((await driver().recoverMisfires(0)).more).toBe(true);
    expect(namesOf(await driver().acquire())).toEqual(['due']);
    expect(misfiredIn(await driver().recoverMisfires())).toEqual(['misfired']);
    await driver().applyOne({ type: 'deleteJob', key: jobKey('serial') });
    expect(await driver().recoverMisfires()).toMatchObject({ misfired: [], more: false });
  });
}
