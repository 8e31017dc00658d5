import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, type TriggerKey, triggerKey } from '../../../src/domain/keys';
import { occurrenceOf } from '../../../src/domain/occurrence';
import type { PauseExplanation } from '../../../src/domain/pause';
import { retryTriggerKey } from '../../../src/domain/retry';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, NOW, once, SECOND } from '../samples';
import { retryOf } from './retries';

const ORIGIN = triggerKey('daily', 'reports');
const REPORTS = GroupMatcher.groupEquals('reports');
const letting: PauseExplanation = { reason: null, by: null, since: NOW, until: null, holdsRetries: false };

/** Waiting runs of earlier occurrences of a trigger are paused and resumed with it. */
export function describeHeldRuns(context: StoreContext): void {
  describe('a waiting retry', () => {
    describeHolding(context);
    describeLetting(context);
    describeLaterRetries(context);
    describeRenaming(context);
  });
}

function tools({ driver }: StoreContext) {
  const fail = async (firing: TriggerFiring) => {
    const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
    await driver().complete(firing, instruction, { further: [retryOf(firing, driver().now, SECOND)] });
    return retryTriggerKey(firing.runId);
  };
  return {
    fail,
    /** Creates a trigger whose first run has failed. Returns the key of the retry. */
    failed: async (key: TriggerKey = ORIGIN, jobName = 'job') => {
      await driver().schedule(job(jobName, { durable: true }), everyMinute('', { key }));
      return fail(await driver().fireOne());
    },
    /** The same for a trigger that has fired for the last time. */
    failedAtLast: async () => {
      await driver().schedule(job('job', { durable: true }), once('', { key: ORIGIN }));
      return fail(await driver().fireOne());
    },
    pause: (which: GroupMatcher | readonly TriggerKey[], said?: PauseExplanation) =>
      driver().store.pauseTriggers(which, said),
    resume: (which: GroupMatcher | readonly TriggerKey[]) => driver().store.resumeTriggers(which, driver().options),
    attempts: async () => {
      driver().now += 10 * SECOND;
      return (await driver().fireDue()).map((firing) => occurrenceOf(firing).attempt);
    },
  };
}

function describeHolding(context: StoreContext): void {
  const { driver } = context;
  const { failed, failedAtLast, pause, resume, attempts } = tools(context);

  const pauses = [
    { what: 'its trigger', doing: () => pause([ORIGIN]), undoing: () => resume([ORIGIN]) },
    { what: 'the group of its trigger', doing: () => pause(REPORTS), undoing: () => resume(REPORTS) },
    {
      what: 'everything',
      doing: () => pause(GroupMatcher.anyGroup()),
      undoing: () => resume(GroupMatcher.anyGroup()),
    },
    {
      what: 'its job',
      doing: () => driver().store.pauseJobs([jobKey('job')]),
      undoing: () => driver().store.resumeJobs([jobKey('job')], driver().options),
    },
    {
      what: 'the group of its job',
      doing: () => driver().store.pauseJobs(GroupMatcher.groupEquals('DEFAULT')),
      undoing: () => driver().store.resumeJobs(GroupMatcher.groupEquals('DEFAULT'), driver().options),
    },
    {
      what: 'everything, until its group is resumed',
      doing: () => pause(GroupMatcher.anyGroup()),
      undoing: () => resume(REPORTS),
    },
    {
      what: 'everything, until its trigger is resumed',
      doing: () => pause(GroupMatcher.anyGroup()),
      undoing: () => resume([ORIGIN]),
    },
  ];

  it.each(pauses)('is held by a pause of $what, and released with it', async ({ doing, undoing }) => {
    const retry = await failed();
    await doing();
    expect(await driver().state(retry)).toBe('PAUSED');
    expect(await attempts()).toEqual([]);
    driver().announced = [];
    await undoing();
    expect(driver().announced).toEqual([NOW + SECOND]);
    expect(await attempts()).toEqual([2]);
  });

  it('is not held by pauses of other triggers and groups', async () => {
    await failed();
    await driver().schedule(job('other', { durable: true }), everyMinute('', { key: triggerKey('other', 'reports') }));
    await pause([triggerKey('other', 'reports')]);
    await pause(GroupMatcher.groupEquals('report'));
    expect(await attempts()).toEqual([2]);
  });

  it('is held after the last firing of its trigger', async () => {
    const retry = await failedAtLast();
    expect(await pause(REPORTS)).toEqual(['reports']);
    expect(await driver().state(retry)).toBe('PAUSED');
    await resume(REPORTS);
    expect(await pause([ORIGIN])).toEqual(['reports']);
    expect(await attempts()).toEqual([]);
    expect(await resume([ORIGIN])).toEqual(['reports']);
    expect(await attempts()).toEqual([2]);
  });

  it('is released when the pause of its ended trigger ends by itself', async () => {
    await failedAtLast();
    await pause([ORIGIN], { reason: 'migration', by: 'ops', since: NOW, until: NOW + HOUR });
    expect(await attempts()).toEqual([]);
    driver().now = NOW + HOUR;
    await driver().store.endPauses(driver().options);
    expect(await attempts()).toEqual([2]);
    expect(await driver().store.getPauses()).toEqual([]);
  });

  it('is released when the pause of its trigger ends by itself, unless another pause holds it', async () => {
    const retry = await failed();
    const said = { reason: null, by: 'ops', since: NOW, until: NOW + HOUR };
    await pause([ORIGIN], said);
    await pause(REPORTS, { ...said, until: NOW + 2 * HOUR });
    driver().now = NOW + HOUR;
    await driver().store.endPauses(driver().options);
    expect(await driver().state(retry)).toBe('PAUSED');
    driver().now = NOW + 2 * HOUR;
    await driver().store.endPauses(driver().options);
    expect(await driver().state(retry)).toBe('WAITING');
  });
}

/** Retries of a trigger that gets another key. */
function describeRenaming(context: StoreContext): void {
  const { driver } = context;
  const { failed, pause, resume, attempts } = tools(context);
  const rename = (to: TriggerKey) =>
    driver().applyOne({
      type: 'replaceTrigger',
      key: ORIGIN,
      trigger: everyMinute('', { key: to, startTime: NOW + HOUR }),
      startTimeDefaulted: false,
    });
  const renamed = triggerKey('renamed', 'reports');

  it('stays held when its trigger is renamed, until the pause ends by itself', async () => {
    await failed();
    await pause([ORIGIN], { reason: null, by: 'ops', since: NOW, until: NOW + HOUR });
    await rename(renamed);
    expect(await attempts()).toEqual([]);
    driver().now = NOW + HOUR;
    await driver().store.endPauses(driver().options);
    expect(await attempts()).toContain(2);
  });

  it('is released when its trigger was renamed and the new key is resumed', async () => {
    await failed();
    await pause([ORIGIN]);
    await rename(renamed);
    expect(await resume([renamed])).toEqual(['reports']);
    expect(await attempts()).toEqual([2]);
  });

  it('is released when its trigger is renamed, if only the group of the old key is paused', async () => {
    await failed();
    await pause(REPORTS);
    await rename(triggerKey('renamed', 'free'));
    expect(await attempts()).toEqual([2]);
  });

  it('is held when its trigger is renamed, if only the group of the new key is paused', async () => {
    const held = GroupMatcher.groupEquals('held');
    await failed();
    await pause(held);
    await rename(triggerKey('renamed', 'held'));
    expect(await attempts()).toEqual([]);
    await resume(held);
    expect(await attempts()).toEqual([2]);
  });

  it('is held by a later pause of the new key of its renamed trigger, and deleted with the trigger', async () => {
    const retry = await failed();
    await rename(renamed);
    await pause([renamed]);
    expect(await driver().state(retry)).toBe('PAUSED');
    await driver().applyOne({ type: 'deleteTrigger', key: renamed });
    expect(await driver().find(retry)).toBeNull();
  });

  it('runs during a pause that does not hold retries, also if its trigger is renamed', async () => {
    await failed();
    await pause([ORIGIN], letting);
    await rename(renamed);
    expect(await attempts()).toEqual([2]);
  });
}

function describeLetting(context: StoreContext): void {
  const { driver } = context;
  const { fail, failed, pause, resume } = tools(context);

  const pauses = [
    { what: 'its trigger', doing: () => pause([ORIGIN], letting) },
    { what: 'the group of its trigger', doing: () => pause(REPORTS, letting) },
    { what: 'everything', doing: () => pause(GroupMatcher.anyGroup(), letting) },
    { what: 'its job', doing: () => driver().store.pauseJobs([jobKey('job')], letting) },
  ];

  it.each(pauses)('runs during a pause of $what that does not hold retries, as does the next retry', async ({
    doing,
  }) => {
    const retry = await failed();
    await doing();
    expect(await driver().state(ORIGIN)).toBe('PAUSED');
    expect(await driver().state(retry)).toBe('WAITING');
    expect(await driver().store.getPauses()).toEqual([expect.objectContaining({ holdsRetries: false })]);
    driver().now += SECOND;
    const next = await fail(await driver().fireOne());
    expect(await driver().state(next)).toBe('WAITING');
    await resume(GroupMatcher.anyGroup());
    expect(await driver().state(ORIGIN)).toBe('WAITING');
  });
}

function describeLaterRetries(context: StoreContext): void {
  const { driver } = context;
  const { fail, pause, resume, attempts } = tools(context);

  it('is held if its run fails during the pause of its trigger', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute('', { key: ORIGIN }));
    const firing = await driver().fireOne();
    await pause([ORIGIN]);
    const retry = await fail(firing);
    expect(await driver().state(retry)).toBe('PAUSED');
    await resume([ORIGIN]);
    expect(await attempts()).toEqual([2]);
  });

  it('is held if the last run of its trigger fails in a paused group', async () => {
    await driver().schedule(job('job', { durable: true }), once('', { key: ORIGIN }));
    const firing = await driver().fireOne();
    await pause(REPORTS);
    expect(await driver().state(await fail(firing))).toBe('PAUSED');
  });

  it('is not held if its trigger was resumed in a paused group', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute('', { key: ORIGIN }));
    await pause(REPORTS);
    await resume([ORIGIN]);
    expect(await driver().state(await fail(await driver().fireOne()))).toBe('WAITING');
  });
}
