import { jobKey, triggerKey } from '../../../src/domain/keys';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once } from '../samples';
import { namesOf } from '../store-driver';

/** The completion of a firing: its effect on triggers, on the job and its data, and what it must not change. */
export function describeCompleting(context: StoreContext): void {
  describe('completion of a firing', () => {
    describeFencing(context);
    describeInstructions(context);
    describeMeanwhile(context);
    describeJobData(context);
    describeUnblocking(context);
  });
}

function describeFencing({ driver }: StoreContext): void {
  it('changes nothing the second time', async () => {
    await driver().schedule(job('job', { persistJobDataAfterExecution: true }), everyMinute());
    const firing = await driver().fireOne();
    expect(await driver().complete(firing)).toEqual({ status: 'completed', deletedTrigger: false, deletedJob: false });
    const before = await driver().everything();
    expect(await driver().complete(firing, 'SET_TRIGGER_ERROR', { jobData: { stale: true } })).toEqual({
      status: 'fenced',
      deletedTrigger: false,
      deletedJob: false,
    });
    expect(await driver().everything()).toEqual(before);
  });

  it('returns one outcome per completion, in their order', async () => {
    await driver().scheduleAll(once('a'), once('b'), everyMinute('c'));
    const [a, b, c] = await driver().fireDue();
    const outcomes = await driver().store.completeTriggers(
      [c, a, a, b].map((firing) => ({ firing: firing as NonNullable<typeof a>, instruction: 'DELETE_TRIGGER' })),
    );
    expect(outcomes.map(({ status, deletedTrigger }) => [status, deletedTrigger])).toEqual([
      ['completed', false],
      ['completed', true],
      ['fenced', false],
      ['completed', true],
    ]);
  });

  it('is refused for a reservation that was never fired', async () => {
    await driver().scheduleAll(once());
    const { trigger, runId } = await driver().acquireOne();
    const jobDetail = job();
    const firing = { trigger, runId, jobDetail, calendar: null, scheduledFireTime: NOW, fireTime: NOW };
    const outcome = await driver().complete(
      { ...firing, previousFireTime: null, recovering: false },
      'SET_TRIGGER_ERROR',
    );
    expect(outcome.status).toBe('fenced');
    expect(await driver().state()).toBe('ACQUIRED');
  });
}

function describeInstructions({ driver }: StoreContext): void {
  it.each([
    { instruction: 'NOOP', own: 'WAITING', sibling: 'WAITING' },
    { instruction: 'RE_EXECUTE_JOB', own: 'WAITING', sibling: 'WAITING' },
    { instruction: 'DELETE_TRIGGER', own: 'WAITING', sibling: 'WAITING' },
    { instruction: 'SET_TRIGGER_COMPLETE', own: 'COMPLETE', sibling: 'WAITING' },
    { instruction: 'SET_TRIGGER_ERROR', own: 'ERROR', sibling: 'WAITING' },
    { instruction: 'SET_ALL_JOB_TRIGGERS_COMPLETE', own: 'COMPLETE', sibling: 'COMPLETE' },
    { instruction: 'SET_ALL_JOB_TRIGGERS_ERROR', own: 'ERROR', sibling: 'ERROR' },
  ] as const)('with $instruction leaves the trigger $own and its siblings $sibling', async ({
    instruction,
    own,
    sibling,
  }) => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute(), everyMinute('sibling'));
    await driver().schedule(job('other'), everyMinute('other', { startTime: NOW + MINUTE }));
    const firing = await driver().fireOne({ maxCount: 100 });
    const name = firing.trigger.key.name === 'trigger' ? 'sibling' : 'trigger';
    expect(await driver().complete(firing, instruction)).toMatchObject({ status: 'completed', deletedTrigger: false });
    expect(await driver().state(firing.trigger.key)).toBe(own);
    expect(await driver().state(name)).toBe(sibling);
    expect(await driver().state('other')).toBe('WAITING');
  });

  it('deletes a trigger that will not fire again, and its non-durable job if no trigger is left', async () => {
    await driver().scheduleAll(once('a'), once('b'));
    await driver().schedule(job('durable', { durable: true }), once('c'));
    const outcomes = [];
    for (const firing of await driver().fireDue()) outcomes.push(await driver().complete(firing, 'DELETE_TRIGGER'));
    expect(outcomes.map(({ deletedTrigger, deletedJob }) => [deletedTrigger, deletedJob])).toEqual([
      [true, false],
      [true, true],
      [true, false],
    ]);
    expect(await driver().job()).toBeNull();
    expect(await driver().job('durable')).not.toBeNull();
    expect((await allTriggers(driver().store)).total).toBe(0);
  });

  it('keeps an ended trigger without DELETE_TRIGGER', async () => {
    await driver().scheduleAll(once());
    await driver().complete(await driver().fireOne(), 'NOOP');
    expect(await driver().state()).toBe('COMPLETE');
  });

  it('releases the reservation of a trigger whose state it changes', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    driver().now = NOW + MINUTE;
    const acquired = await driver().acquireOne();
    await driver().complete(firing, 'SET_TRIGGER_COMPLETE');
    expect(await driver().state()).toBe('COMPLETE');
    expect(await driver().fire(acquired)).toMatchObject([{ status: 'notFired' }]);
    await driver().store.releaseTriggers([acquired]);
    expect(await driver().state()).toBe('COMPLETE');
  });
}

/** Changes of the trigger and its job while the job runs. */
function describeMeanwhile({ driver }: StoreContext): void {
  const reschedule = () =>
    driver().applyOne({
      type: 'replaceTrigger',
      key: triggerKey('trigger'),
      trigger: everyNoon(),
      startTimeDefaulted: false,
    });

  it.each([
    'SET_TRIGGER_COMPLETE',
    'SET_TRIGGER_ERROR',
    'DELETE_TRIGGER',
  ] as const)('with %s does not change a rescheduled trigger', async (instruction) => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    await reschedule();
    const before = await driver().find();
    expect(await driver().complete(firing, instruction)).toMatchObject({ status: 'completed', deletedTrigger: false });
    expect(await driver().find()).toEqual(before);
  });

  it.each([
    'SET_TRIGGER_COMPLETE',
    'SET_TRIGGER_ERROR',
  ] as const)('with %s changes the trigger although it fired again while the job ran', async (instruction) => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    driver().now = NOW + MINUTE;
    await driver().fireOne();
    await driver().complete(firing, instruction);
    expect(await driver().state()).toBe(instruction === 'SET_TRIGGER_ERROR' ? 'ERROR' : 'COMPLETE');
  });

  it('does not change a trigger of the same key that belongs to another job now', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('trigger') });
    await driver().schedule(job('other'), everyMinute());
    await driver().complete(firing, 'SET_TRIGGER_ERROR');
    expect(await driver().state()).toBe('WAITING');
  });

  it('ends the firing of a deleted trigger', async () => {
    await driver().schedule(job('job', { durable: true, disallowConcurrentExecution: true }), once(), everyMinute('b'));
    const firing = await driver().fireOne({ maxCount: 100 });
    await driver().applyOne({ type: 'deleteTrigger', key: firing.trigger.key });
    expect(await driver().complete(firing, 'SET_TRIGGER_ERROR')).toMatchObject({ status: 'completed' });
    const [left] = (await allTriggers(driver().store)).items;
    expect(left?.state).toBe('WAITING');
  });

  it('keeps a trigger paused that was paused while the job ran', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    await driver().complete(firing, 'DELETE_TRIGGER');
    expect(await driver().state()).toBe('PAUSED');
  });
}

function describeJobData({ driver }: StoreContext): void {
  const persistent = job('job', { persistJobDataAfterExecution: true, data: { count: 0 } });

  it('stores the data that the job returned, for its next run', async () => {
    await driver().schedule(persistent, everyMinute());
    await driver().complete(await driver().fireOne(), 'NOOP', { jobData: { count: 1 } });
    expect((await driver().job())?.data).toEqual({ count: 1 });
    driver().now = NOW + MINUTE;
    expect((await driver().fireOne()).jobDetail.data).toEqual({ count: 1 });
  });

  it('keeps the data if the job returned none or does not persist it', async () => {
    await driver().schedule(persistent, everyMinute());
    await driver().complete(await driver().fireOne());
    expect((await driver().job())?.data).toEqual({ count: 0 });
    await driver().schedule(job('other', { data: { kept: true } }), once('b'));
    await driver().complete(await driver().fireOne(), 'DELETE_TRIGGER', { jobData: { kept: false } });
    expect(await driver().job('other')).toBeNull();
    await driver().schedule(job('third', { data: { kept: true }, durable: true }), once('c'));
    await driver().complete(await driver().fireOne(), 'NOOP', { jobData: { kept: false } });
    expect((await driver().job('third'))?.data).toEqual({ kept: true });
  });

  it('does not restore a deleted job', async () => {
    await driver().schedule(persistent, everyMinute());
    const firing = await driver().fireOne();
    await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
    expect(await driver().complete(firing, 'NOOP', { jobData: { count: 1 } })).toMatchObject({ status: 'completed' });
    expect(await driver().job()).toBeNull();
  });
}

function describeUnblocking({ driver }: StoreContext): void {
  const serial = job('job', { disallowConcurrentExecution: true });

  it('unblocks the other triggers of the job, and announces the earliest fire time', async () => {
    await driver().schedule(serial, everyMinute('a'), everyMinute('b', { startTime: NOW + 1 }), everyMinute('c'));
    await driver().store.pauseTriggers([triggerKey('c')]);
    const firing = await driver().fireOne();
    driver().announced = [];
    await driver().complete(firing);
    expect(driver().announced).toEqual([NOW + 1]);
    const states = await Promise.all(['a', 'b', 'c'].map((name) => driver().state(name)));
    expect(states).toEqual(['WAITING', 'WAITING', 'PAUSED']);
    expect(namesOf(await driver().acquire({ noLaterThan: NOW + HOUR }))).toEqual(['b']);
  });

  it('unblocks triggers only after the last of several executions', async () => {
    await driver().scheduleAll(everyMinute('a'), everyMinute('b'), everyMinute('c', { startTime: NOW + 1 }));
    const [a, b] = await driver().fireDue();
    // Two executions began while the job allowed concurrency.
    await driver().applyOne({ type: 'storeJob', job: serial, ifExists: 'replace', requireTrigger: false });
    await driver().complete(a as NonNullable<typeof a>);
    expect(await driver().state('c')).toBe('BLOCKED');
    await driver().complete(b as NonNullable<typeof b>);
    expect(await driver().state('c')).toBe('WAITING');
  });

  it('unblocks nothing if the node no longer owns the run', async () => {
    await driver().schedule(serial, everyMinute('a'), everyMinute('b', { startTime: NOW + 1 }));
    const first = await driver().fireOne();
    await driver().complete(first);
    driver().now = NOW + 1;
    const second = await driver().fireOne();
    expect(second.trigger.key.name).toBe('b');
    await driver().complete(first);
    expect(await driver().state('a')).toBe('BLOCKED');
  });
}
