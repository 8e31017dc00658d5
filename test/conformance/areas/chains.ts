import { originOf } from '../../../src/domain/chain';
import type { Completion } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { CHAINED_JOBS, occurrenceOf } from '../../../src/domain/occurrence';
import type { RunOutcome } from '../../../src/domain/run';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { AfterTrigger, ChainOutcome, Trigger } from '../../../src/domain/trigger';
import { waitingFor } from '../../../src/domain/triggers/after-trigger';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { expectFired, namesOf, type StoreDriver, storing } from '../store-driver';

/** Jobs that start when other jobs end. */
export function describeChains(context: StoreContext): void {
  describe('chained triggers', () => {
    describeStarting(context);
    describeOutcomes(context);
    describeFanIn(context);
    describeWaiting(context);
    describeCycles(context);
    describeStoring(context);
  });
}

/** Creates a trigger that fires the job of its name when `jobs` have ended. */
export function after(
  name: string,
  jobs: readonly string[],
  fields: Partial<AfterTrigger> & { readonly on?: ChainOutcome } = {},
): AfterTrigger {
  const { on = 'success', ...rest } = fields;
  const { repeatCount, repeatInterval, ...common } = once(name);
  return {
    ...common,
    ...waitingFor(
      jobs.map((each) => jobKey(each)),
      on,
    ),
    jobKey: jobKey(name),
    ...rest,
  };
}

/** Completion of a firing, as the engine reports it if followers wait for the job. */
export function ending(
  firing: TriggerFiring,
  now: number,
  { outcome = 'succeeded', isFinal = true }: { readonly outcome?: RunOutcome; readonly isFinal?: boolean } = {},
): Completion {
  const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
  if (firing.hasFollowers !== true) return { firing, instruction };
  return { firing, instruction, end: { occurrence: occurrenceOf(firing), outcome, isFinal, endTime: now } };
}

async function end(driver: StoreDriver, firing: TriggerFiring, how: Parameters<typeof ending>[2] = {}) {
  const [outcome] = await driver.store.completeTriggers([ending(firing, driver.now, how)]);
  return outcome;
}

/** Runs and ends everything that is due, once. Returns the names of the jobs. */
async function runDue(driver: StoreDriver, how: Parameters<typeof ending>[2] = {}): Promise<readonly string[]> {
  const fired = await driver.fireDue();
  await driver.store.completeTriggers(fired.map((firing) => ending(firing, driver.now, how)));
  return fired.map(({ jobDetail }) => jobDetail.key.name).sort();
}

const durable = { durable: true } as const;

/** Stores a job that fires every minute, and one that follows it. */
async function scheduleChain(driver: StoreDriver, chain: AfterTrigger = after('load', ['extract'])): Promise<void> {
  await driver.schedule(job('extract'), everyMinute('extract'));
  await driver.schedule(job('load'), chain);
}

function describeStarting({ driver }: StoreContext): void {
  it('start a job once for each successful run of another job', async () => {
    await scheduleChain(driver());
    expect(await driver().find('load')).toMatchObject({ state: 'WAITING', trigger: { nextFireTime: null } });
    for (let run = 1; run <= 3; run++) {
      expect(await runDue(driver())).toEqual(['extract']);
      expect(await runDue(driver())).toEqual(['load']);
      expect(await runDue(driver())).toEqual([]);
      expect(await driver().trigger('load')).toMatchObject({ timesTriggered: run, previousFireTime: driver().now });
      driver().now += MINUTE;
    }
  });

  it('pass their data, priority, policy and origin to the job', async () => {
    const fields = { data: { to: 'warehouse' }, priority: 9, policy: { history: 'all' as const } };
    await scheduleChain(driver(), after('load', ['extract'], fields));
    const parent = await driver().fireOne();
    expect(parent.hasFollowers).toBe(true);
    driver().now += SECOND;
    driver().announced = [];
    await end(driver(), parent);
    expect(driver().announced).toEqual([driver().now]);
    const child = await driver().fireOne();
    expect(child.trigger).toMatchObject({ key: { group: CHAINED_JOBS }, ...fields, data: { to: 'warehouse' } });
    expect(child.hasFollowers).toBeUndefined();
    const { runId: id } = child;
    expect(occurrenceOf(child)).toEqual({
      id,
      triggerKey: triggerKey('load'),
      scheduledTime: driver().now,
      attempt: 1,
    });
    const origin = { jobKey: jobKey('extract'), runId: parent.runId, outcome: 'succeeded' };
    expect(originOf(child.trigger)).toEqual(origin);
    expect(await end(driver(), child)).toMatchObject({ deletedTrigger: true, deletedJob: false });
    expect(await driver().state('load')).toBe('WAITING');
  });

  it('start several jobs, and the followers of these jobs', async () => {
    await scheduleChain(driver());
    await driver().schedule(job('audit'), after('audit', ['extract']));
    await driver().schedule(job('report'), after('report', ['load']));
    expect(await runDue(driver())).toEqual(['extract']);
    expect(await runDue(driver())).toEqual(['audit', 'load']);
    expect(await runDue(driver())).toEqual(['report']);
    expect(await runDue(driver())).toEqual([]);
  });

  it('start a job once for each run that ends in a batch', async () => {
    await scheduleChain(driver());
    await driver().apply(storing(once('again', { jobKey: jobKey('extract') })));
    const fired = await driver().fireDue();
    const free = await driver().store.completeTriggers([
      ...fired.map((firing) => ending(firing, driver().now)),
      ...fired.map((firing) => ending(firing, driver().now)),
    ]);
    expect(free.map(({ status }) => status)).toHaveLength(4);
    expect(await runDue(driver())).toEqual(['load', 'load']);
    expect(await driver().trigger('load')).toMatchObject({ timesTriggered: 2 });
  });

  it('start nothing for a run that this node no longer owns', async () => {
    await scheduleChain(driver());
    const firing = await driver().fireOne();
    await end(driver(), firing);
    expect((await end(driver(), firing))?.status).toBe('fenced');
    expect(await runDue(driver())).toEqual(['load']);
  });

  it('mark a firing that has followers, even if it fires when it is stored', async () => {
    await driver().schedule(job('load', durable), after('load', ['extract'], { key: triggerKey('chain') }));
    const { fired } = await driver().store.applySchedule(
      [
        { type: 'storeJob', job: job('extract'), ifExists: 'fail', requireTrigger: false },
        storing(once('extract', { jobKey: jobKey('extract') })),
      ],
      { ...driver().options, fireNow: { maxCount: 10, jobTypes: ['sample'] } },
    );
    const firings = fired.length > 0 ? fired.map(expectFired) : await driver().fireDue();
    expect(firings.map(({ hasFollowers }) => hasFollowers)).toEqual([true]);
  });

  it('mark a firing whose followers are stored in the same change set', async () => {
    const { fired } = await driver().store.applySchedule(
      [
        { type: 'storeJob', job: job('extract'), ifExists: 'fail', requireTrigger: false },
        storing(once('extract', { jobKey: jobKey('extract') })),
        { type: 'storeJob', job: job('load'), ifExists: 'fail', requireTrigger: false },
        storing(after('load', ['extract'])),
      ],
      { ...driver().options, fireNow: { maxCount: 10, jobTypes: ['sample'] } },
    );
    const firings = fired.length > 0 ? fired.map(expectFired) : await driver().fireDue();
    expect(firings.map(({ hasFollowers }) => hasFollowers)).toEqual([true]);
  });
}

const NOT_RUN: readonly RunOutcome[] = ['skipped', 'vetoed', 'misfired'];

function describeOutcomes({ driver }: StoreContext): void {
  it.each([
    ['success', ['succeeded']],
    ['failure', ['failed', 'timedOut', 'interrupted']],
    ['end', ['succeeded', 'failed', 'timedOut', 'interrupted']],
  ] as const)('on %s count only runs with a matching outcome', async (on, counted) => {
    await scheduleChain(driver(), after('load', ['extract'], { on }));
    const starting: RunOutcome[] = [];
    for (const outcome of ['succeeded', 'failed', 'timedOut', 'interrupted', ...NOT_RUN] as const) {
      await runDue(driver(), { outcome });
      if ((await runDue(driver())).length > 0) starting.push(outcome);
      driver().now += MINUTE;
    }
    expect(starting).toEqual(counted);
  });

  it('wait for the last attempt of an occurrence', async () => {
    await scheduleChain(driver(), after('load', ['extract'], { on: 'end' }));
    await runDue(driver(), { outcome: 'failed', isFinal: false });
    expect(await runDue(driver())).toEqual([]);
    driver().now += MINUTE;
    await runDue(driver(), { outcome: 'failed' });
    expect(await runDue(driver())).toEqual(['load']);
  });
}

function describeFanIn({ driver }: StoreContext): void {
  const scheduleAll = async () => {
    for (const name of ['a', 'b', 'c']) await driver().schedule(job(name, durable));
    await driver().schedule(job('report'), after('report', ['c', 'a', 'b']));
  };
  let runs = 0;
  const run = async (...names: readonly string[]) => {
    await driver().apply(...names.map((name) => storing(once(`run${runs++}`, { jobKey: jobKey(name) }))));
    const fired = await driver().fireDue();
    await driver().store.completeTriggers(fired.map((firing) => ending(firing, driver().now)));
  };

  it('that follow several jobs start after all of them have ended', async () => {
    await scheduleAll();
    await run('a');
    await run('c', 'a');
    expect(await driver().fireDue()).toEqual([]);
    expect(await driver().trigger('report')).toMatchObject({
      after: ['a', 'b', 'c'].map((name) => jobKey(name)),
      ended: [2, 0, 1],
    });
    await run('b');
    expect(await driver().trigger('report')).toMatchObject({ ended: [1, 0, 0], timesTriggered: 1 });
    const [child, ...others] = await driver().fireDue();
    expect(others).toEqual([]);
    expect(child && originOf(child.trigger)).toMatchObject({ jobKey: jobKey('b') });
  });

  it('count each end of a run once', async () => {
    await scheduleAll();
    await run('a', 'b', 'c');
    expect(await runDue(driver())).toEqual(['report']);
    await run('a', 'b');
    expect(await runDue(driver())).toEqual([]);
    await run('c');
    expect(await runDue(driver())).toEqual(['report']);
  });

  it('start once for each complete set of ends in a batch', async () => {
    await scheduleAll();
    await run('a', 'b', 'c', 'c', 'a', 'b', 'b');
    expect(await runDue(driver())).toEqual(['report', 'report']);
    expect(await driver().trigger('report')).toMatchObject({ ended: [0, 1, 0], timesTriggered: 2 });
  });

  it('keep their counts if they are stored unchanged, and reset them for other jobs', async () => {
    await scheduleAll();
    await run('a');
    expect((await driver().register(after('report', ['a', 'b', 'c']), true)).status).toBe('unchanged');
    expect(await driver().trigger('report')).toMatchObject({ ended: [1, 0, 0] });
    await driver().register(after('report', ['a', 'b'], { data: { x: 1 } }), true);
    expect(await driver().trigger('report')).toMatchObject({ ended: [0, 0] });
    await run('b', 'a');
    expect(await runDue(driver())).toEqual(['report']);
  });
}

function describeWaiting({ driver }: StoreContext): void {
  it('are never due and never misfire', async () => {
    await scheduleChain(driver());
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('extract') });
    driver().now += 24 * 365 * HOUR;
    expect(await driver().fireDue()).toEqual([]);
    expect(await driver().acquire({ noLaterThan: driver().now + HOUR })).toEqual([]);
    expect(await driver().recoverMisfires()).toMatchObject({ misfired: [], more: false });
    expect(await driver().state('load')).toBe('WAITING');
  });

  it('start nothing while they are paused, and continue after they are resumed', async () => {
    await scheduleChain(driver());
    await driver().store.pauseTriggers([triggerKey('load')]);
    expect(await driver().state('load')).toBe('PAUSED');
    await runDue(driver());
    expect(await runDue(driver())).toEqual([]);
    driver().now += MINUTE;
    await driver().store.resumeTriggers([triggerKey('load')], driver().options);
    expect(await driver().state('load')).toBe('WAITING');
    await runDue(driver());
    expect(await runDue(driver())).toEqual(['load']);
  });

  it('are paused and resumed with their group and with their job', async () => {
    await scheduleChain(driver());
    await driver().store.pauseTriggers(GroupMatcher.anyGroup());
    expect(await driver().state('load')).toBe('PAUSED');
    await driver().store.resumeTriggers(GroupMatcher.anyGroup(), driver().options);
    await driver().store.pauseJobs([jobKey('load')]);
    expect(await driver().state('load')).toBe('PAUSED');
    await driver().store.resumeJobs([jobKey('load')], driver().options);
    expect(await driver().state('load')).toBe('WAITING');
  });

  it('block the next run while their non-concurrent job executes', async () => {
    await driver().schedule(job('extract'), everyMinute('extract'));
    await driver().schedule(job('load', { disallowConcurrentExecution: true }), after('load', ['extract']));
    await runDue(driver());
    const child = await driver().fireOne();
    expect(await driver().state('load')).toBe('BLOCKED');
    driver().now += MINUTE;
    expect(await runDue(driver())).toEqual(['extract']);
    expect(await driver().fireDue()).toEqual([]);
    await end(driver(), child);
    expect(await driver().state('load')).toBe('WAITING');
    expect(await runDue(driver())).toEqual(['load']);
  });

  it('keep waiting for a job that is deleted and stored again', async () => {
    await scheduleChain(driver());
    await driver().apply({ type: 'deleteJob', key: jobKey('extract') });
    await driver().schedule(job('extract'), everyMinute('extract'));
    await runDue(driver());
    expect(await runDue(driver())).toEqual(['load']);
  });

  it('start nothing in ERROR, and wait again after a reset', async () => {
    await scheduleChain(driver());
    await runDue(driver());
    const child = await driver().fireOne();
    await driver().complete(child, 'SET_ALL_JOB_TRIGGERS_ERROR');
    expect(await driver().state('load')).toBe('ERROR');
    driver().now += MINUTE;
    await runDue(driver());
    expect(await driver().fireDue()).toEqual([]);
    await driver().store.resetTriggersFromError([triggerKey('load')]);
    expect(await driver().state('load')).toBe('WAITING');
  });
}

const store = (trigger: Trigger): ScheduleChange => ({
  type: 'storeTrigger',
  trigger,
  ifExists: 'replace',
  startTimeDefaulted: true,
});

function describeCycles({ driver }: StoreContext): void {
  it('are refused if a job would wait for itself', async () => {
    await driver().schedule(job('a', durable));
    const refused = expect(driver().apply(storing(after('a', ['a'])))).rejects;
    await refused.toMatchObject({ code: 'INVALID_TRIGGER', message: expect.stringContaining('a → a') });
    expect(await driver().find('a')).toBeNull();
  });

  it('are refused if they would close a cycle of stored chains', async () => {
    for (const name of ['a', 'b', 'c']) await driver().schedule(job(name, durable));
    await driver().apply(storing(after('b', ['a'])), storing(after('c', ['b'])));
    const before = await driver().everything();
    const refused = expect(driver().apply(storing(after('a', ['x', 'c'])))).rejects;
    await refused.toMatchObject({ code: 'INVALID_TRIGGER', message: expect.stringContaining('a → b → c → a') });
    expect(await driver().everything()).toEqual(before);
  });

  it('are refused if a change set would create a cycle, by itself or with stored chains', async () => {
    for (const name of ['a', 'b']) await driver().schedule(job(name, durable));
    const circle = [storing(after('b', ['a'])), storing(after('a', ['b']))];
    await expect(driver().apply(...circle)).rejects.toMatchObject({ code: 'INVALID_TRIGGER' });
    await driver().apply(storing(after('b', ['a'])));
    // The reverse order, in one change set.
    await driver().apply(store(after('b', ['c'])), storing(after('a', ['b'])));
    expect(await driver().trigger('a')).toMatchObject({ after: [jobKey('b')] });
    await expect(driver().apply(store(after('b', ['a'])))).rejects.toMatchObject({ code: 'INVALID_TRIGGER' });
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('a') }, store(after('b', ['a'])));
  });
}

function describeStoring({ driver }: StoreContext): void {
  it('can be stored, found by the job that they wait for, replaced and deleted', async () => {
    await scheduleChain(driver());
    await driver().schedule(job('report'), after('report', ['extract', 'load'], { on: 'end' }));
    const following = async (name: string) => {
      const { items, total } = await allTriggers(driver().store, { waitsFor: jobKey(name) });
      expect(items).toHaveLength(total);
      return namesOf(items);
    };
    expect(await following('extract')).toEqual(['load', 'report']);
    expect(await following('load')).toEqual(['report']);
    expect(await driver().trigger('report')).toEqual(after('report', ['extract', 'load'], { on: 'end' }));
    await driver().register(once('report', { jobKey: jobKey('report'), startTime: NOW + HOUR }));
    expect(await following('load')).toEqual([]);
    expect((await driver().fireOne()).hasFollowers).toBe(true);
    const outcome = await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('load') });
    expect(outcome).toMatchObject({ status: 'deleted', deletedJobs: [jobKey('load')] });
    expect(await following('extract')).toEqual([]);
    driver().now += MINUTE;
    expect((await driver().fireOne()).hasFollowers).toBeUndefined();
  });

  it('are last in lists that are sorted by next fire time', async () => {
    await scheduleChain(driver());
    const { items } = await driver().store.pageTriggers({ sort: 'nextFireTime', take: 10 });
    expect(namesOf(items)).toEqual(['extract', 'load']);
  });

  it('keep a non-durable job, and are deleted with it', async () => {
    await scheduleChain(driver());
    expect(await driver().job('load')).not.toBeNull();
    await driver().apply({ type: 'deleteJob', key: jobKey('load') });
    expect(await driver().find('load')).toBeNull();
    await driver().schedule(job('load'), after('load', ['extract']));
    await driver().applyOne({ type: 'clear' });
    await scheduleChain(driver());
    expect(await driver().trigger('load')).toMatchObject({ timesTriggered: 0 });
  });

  it('can be renamed and rescheduled', async () => {
    await scheduleChain(driver());
    const renamed = after('load', ['extract'], { key: triggerKey('after extract'), on: 'failure' });
    const outcome = await driver().applyOne({
      type: 'replaceTrigger',
      key: triggerKey('load'),
      trigger: renamed,
      startTimeDefaulted: true,
    });
    expect(outcome).toMatchObject({ status: 'replaced', nextFireTime: null });
    await runDue(driver(), { outcome: 'failed' });
    expect(await runDue(driver())).toEqual(['load']);
  });
}
