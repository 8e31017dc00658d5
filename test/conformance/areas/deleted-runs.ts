import { recoveryOfAbandonedRun } from '../../../src/domain/abandoned-run';
import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, type TriggerKey, triggerKey } from '../../../src/domain/keys';
import {
  DEFERRED_JOBS,
  deferredData,
  deferredTriggerKey,
  occurrenceOf,
  RETRYING_JOBS,
} from '../../../src/domain/occurrence';
import { rerunTrigger, retryTriggerKey } from '../../../src/domain/retry';
import { NO_RETRY } from '../../../src/domain/retry-policy';
import type { RunRecord } from '../../../src/domain/run';
import { detailOf } from '../../../src/domain/run-detail';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import { oneShotTrigger } from '../../../src/domain/trigger';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf, storing } from '../store-driver';
import { after } from './chains';
import { retryOf } from './retries';
import { endPart, takeApart } from './shards';

const ORIGIN = triggerKey('daily', 'reports');
const durable = { durable: true } as const;

/** A waiting run of an occurrence that has begun always leaves a trace: when it is deleted, it becomes a dead letter. */
export function describeDeletedRuns(context: StoreContext): void {
  describe('a waiting retry', () => {
    describeDeletions(context);
    describeDeadLetters(context);
    describeWhatFollows(context);
    describeWhatLeavesNothing(context);
  });
}

type Deletion = readonly [what: string, changes: readonly ScheduleChange[]];

const groups = { exceptGroups: [] } as const;
const ofTrigger = { type: 'deleteTrigger', key: ORIGIN } as const;
const ofJob = { type: 'deleteJob', key: jobKey('job') } as const;
const ofRetries = { type: 'deleteTriggersInGroup', group: GroupMatcher.groupEquals(RETRYING_JOBS), ...groups } as const;

const DELETIONS: readonly Deletion[] = [
  ['its trigger', [ofTrigger]],
  [
    'the group of its trigger',
    [{ type: 'deleteTriggersInGroup', group: GroupMatcher.groupEquals('reports'), ...groups }],
  ],
  ['every trigger', [{ type: 'deleteTriggersInGroup', group: GroupMatcher.anyGroup(), ...groups }]],
  ['its job', [ofJob]],
  ['the group of its job', [{ type: 'deleteJobsInGroup', group: GroupMatcher.anyGroup(), ...groups }]],
  ['its trigger and its job', [ofTrigger, ofJob]],
  ['the group of retries', [ofRetries]],
];

function tools({ driver }: StoreContext) {
  const fail = async (firing: TriggerFiring) => {
    const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
    await driver().complete(firing, instruction, { further: [retryOf(firing, driver().now, HOUR)] });
    return firing;
  };
  return {
    fail,
    /** Runs a trigger once. The run fails and waits for its retry. */
    failed: async (fields: Parameters<typeof job>[1] = durable) => {
      const trigger = everyMinute('', { key: ORIGIN, data: { to: 'ops' }, priority: 9, policy: { history: 'none' } });
      await driver().schedule(job('job', fields), trigger);
      return fail(await driver().fireOne());
    },
    runs: async () => (await driver().store.listRuns({ take: 10 })).items,
    stored: async () => (await allTriggers(driver().store)).items.map(({ trigger }) => trigger.key),
  };
}

function describeDeletions(context: StoreContext): void {
  const { driver } = context;
  const { fail, failed, runs, stored } = tools(context);

  it.each(DELETIONS)('becomes a dead letter when it is deleted with %s', async (what, changes) => {
    const { runId: occurrenceId } = await failed();
    const outcomes = await driver().apply(...changes);
    const deleted = outcomes.flatMap(({ deletedTriggers }) => deletedTriggers);
    expect(deleted).toContainEqual(retryTriggerKey(occurrenceId));
    expect(new Set(deleted.map(({ name }) => name)).size).toBe(deleted.length);
    const [run, ...others] = await runs();
    expect([run, others]).toMatchObject([
      { occurrenceId, triggerKey: ORIGIN, jobKey: jobKey('job'), jobType: 'sample', attempt: 2, outcome: 'failed' },
      [],
    ]);
    expect(run).toMatchObject({
      isDeadLetter: true,
      scheduledTime: NOW,
      endTime: driver().now,
      error: expect.any(String),
    });
    expect(await stored()).toEqual(what === 'the group of retries' ? [ORIGIN] : []);
  });

  it('is deleted by the key of its ended trigger', async () => {
    await driver().schedule(job('job', durable), once('', { key: ORIGIN }));
    await fail(await driver().fireOne());
    expect(await driver().find(ORIGIN)).toBeNull();
    expect(await driver().applyOne(ofTrigger)).toMatchObject({ status: 'deleted' });
    expect(await runs()).toMatchObject([{ triggerKey: ORIGIN, attempt: 2, isDeadLetter: true }]);
    expect(await driver().applyOne(ofTrigger)).toMatchObject({ status: 'notFound' });
  });

  it('becomes a dead letter when it is deleted by its own key, and its trigger continues', async () => {
    const { runId } = await failed();
    const change = { type: 'deleteTrigger', key: retryTriggerKey(runId), unfired: true } as const;
    expect(await driver().applyOne(change)).toMatchObject({ status: 'deleted' });
    expect(await runs()).toMatchObject([{ occurrenceId: runId, isDeadLetter: true }]);
    expect(await stored()).toEqual([ORIGIN]);
    expect(await driver().applyOne(change)).toMatchObject({ status: 'notFound' });
  });

  it('is deleted together with its non-durable job', async () => {
    await failed({});
    expect(await driver().applyOne(ofTrigger)).toMatchObject({ deletedJobs: [jobKey('job')] });
    expect(await driver().job()).toBeNull();
  });

  it('is listed in the plan of a deletion', async () => {
    const { runId } = await failed();
    const planned = await driver().store.planSchedule([ofTrigger], driver().options);
    expect(planned).toContainEqual(
      expect.objectContaining({ action: 'delete', what: 'trigger', ...retryTriggerKey(runId) }),
    );
    expect(await runs()).toEqual([]);
  });

  it('is named in the result of a deletion', async () => {
    await failed();
    const { endedRuns = [] } = await driver().store.applySchedule([ofTrigger], driver().options);
    const [run] = await runs();
    expect(endedRuns).toEqual([{ runId: run?.runId, triggerKey: ORIGIN, jobKey: jobKey('job') }]);
  });

  it('becomes a dead letter even if it is paused and blocked when it is deleted', async () => {
    await driver().schedule(
      job('job', { ...durable, disallowConcurrentExecution: true }),
      everyMinute('a'),
      everyMinute('b'),
    );
    const a = await fail(await driver().fireOne());
    const b = await driver().fireOne();
    expect(await driver().state(retryTriggerKey(a.runId))).toBe('BLOCKED');
    await driver().store.pauseTriggers([a.trigger.key]);
    await driver().applyOne({ type: 'deleteTrigger', key: a.trigger.key });
    expect(await runs()).toMatchObject([{ occurrenceId: a.runId }]);
    expect(await driver().complete(b)).toMatchObject({ status: 'completed' });
  });

  it('that is a recovery becomes a dead letter too', async () => {
    await driver().schedule(job('job', { ...durable, requestsRecovery: true }), everyMinute('', { key: ORIGIN }));
    const firing = await driver().fireOne();
    const recovery = recoveryOfAbandonedRun(firing, 3);
    await driver().complete(firing, 'NOOP', { further: recovery === null ? [] : [recovery] });
    await driver().applyOne(ofTrigger);
    expect(await runs()).toMatchObject([{ occurrenceId: firing.runId, attempt: 1, isDeadLetter: true }]);
  });
}

function describeDeadLetters(context: StoreContext): void {
  const { driver } = context;
  const { failed, runs } = tools(context);
  const rerun = async (run: RunRecord) => {
    const resolution = { endTime: run.endTime, runId: run.runId, rerun: rerunTrigger(run, NO_RETRY, driver().now) };
    return driver().store.resolveFailedRuns([resolution]);
  };

  it('is rerun after its deletion with the data, priority and policy of its trigger', async () => {
    const { runId } = await failed();
    await driver().applyOne(ofTrigger);
    const [run] = await runs();
    expect(await rerun(run as RunRecord)).toEqual([true]);
    const again = await driver().fireOne();
    expect(occurrenceOf(again)).toEqual({ id: runId, triggerKey: ORIGIN, scheduledTime: NOW, attempt: 3 });
    expect(again.trigger).toMatchObject({ data: { to: 'ops' }, priority: 9, policy: { history: 'none' } });
  });

  it('becomes a dead letter again when its rerun is deleted', async () => {
    await failed();
    await driver().applyOne(ofTrigger);
    const [run] = await runs();
    await rerun(run as RunRecord);
    driver().now += SECOND;
    await driver().applyOne(ofTrigger);
    expect(await runs()).toMatchObject([
      { attempt: 3, isDeadLetter: true },
      { attempt: 2, isDeadLetter: false },
    ]);
  });

  it.each([
    ['its job', durable, ofJob],
    ['the last trigger of its job', {}, ofTrigger],
  ] as const)('keeps the definition of its job, for reruns, after the deletion of %s', async (_, fields, change) => {
    await failed({ ...fields, data: { url: 'right' } });
    await driver().applyOne(change);
    const [run] = await runs();
    const { job: kept } = detailOf(run as RunRecord);
    expect(kept).toEqual({ ...job('job', { data: { url: 'right' } }), key: undefined });
    expect(await rerun(run as RunRecord)).toEqual([false]);
    await driver().schedule({ ...job('job'), ...kept });
    expect(await rerun(run as RunRecord)).toEqual([true]);
  });

  it('keeps no job definition if the job remains', async () => {
    await failed();
    await driver().applyOne(ofTrigger);
    const [run] = await runs();
    expect(detailOf(run as RunRecord)).not.toHaveProperty('job');
  });
}

function describeWhatFollows(context: StoreContext): void {
  const { driver } = context;
  const { failed } = tools(context);

  it.each([
    ['failure', [ofTrigger], ['alarm']],
    ['failure', [ofJob], ['alarm']],
    ['end', [ofTrigger], ['alarm']],
    ['success', [ofTrigger], []],
  ] as const)('ends its occurrence as failed when it is deleted, for followers on %s', async (on, changes, started) => {
    await driver().schedule(job('alarm', durable), after('alarm', ['job'], { on }));
    await failed();
    driver().announced = [];
    await driver().apply(...changes);
    if (started.length > 0) expect(driver().announced).toEqual([driver().now]);
    expect((await driver().fireDue()).map(({ jobDetail }) => jobDetail.key.name)).toEqual(started);
  });

  it('fails its part and its occurrence once when it is deleted', async () => {
    await driver().schedule(job('alarm', durable), after('alarm', ['job'], { on: 'failure' }));
    await driver().schedule(job('job', { ...durable, policy: { spread: { shards: 2 } } }), once('', { key: ORIGIN }));
    const firing = await driver().fireOne();
    driver().now = Math.max(driver().now, firing.fireTime); // reading took its time
    await driver().store.completeTriggers([takeApart(firing)]);
    const [first, second] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    await driver().store.completeTriggers([endPart(driver(), first), endPart(driver(), second, 'failed', true)]);
    const { endedOccurrences } = await driver().store.applySchedule([ofTrigger], driver().options);
    expect(endedOccurrences).toMatchObject([{ id: firing.runId, failed: 1, remaining: 0 }]);
    const { items } = await driver().store.listRuns({ take: 10 });
    expect(items).toMatchObject([{ occurrenceId: firing.runId, attempt: 2, isDeadLetter: true }]);
    expect(items.map(detailOf)).toMatchObject([{ shard: { count: 2 } }]);
    expect((await driver().fireDue()).map(({ jobDetail }) => jobDetail.key.name)).toEqual(['alarm']);
  });

  it('is not deleted if the change set is refused', async () => {
    const { runId } = await failed();
    const refused = driver().apply(ofTrigger, { ...storing(once('x', { jobKey: jobKey('unknown') })) });
    await expect(refused).rejects.toThrow();
    expect(await driver().find(retryTriggerKey(runId))).not.toBeNull();
    expect((await driver().store.listRuns({ take: 10 })).items).toEqual([]);
  });
}

function describeWhatLeavesNothing(context: StoreContext): void {
  const { driver } = context;
  const { failed, runs, stored } = tools(context);

  it('leaves no dead letter when everything is cleared', async () => {
    await failed();
    await driver().apply({ type: 'clear' });
    expect(await runs()).toEqual([]);
  });

  it('remains when its trigger is rescheduled, under any key', async () => {
    const { runId } = await failed();
    const trigger = everyMinute('other', { startTime: NOW + MINUTE });
    await driver().applyOne({ type: 'replaceTrigger', key: ORIGIN, trigger, startTimeDefaulted: false });
    expect(await driver().find(retryTriggerKey(runId))).not.toBeNull();
    expect(await runs()).toEqual([]);
  });

  it('remains when another trigger is deleted, of its job or with its name', async () => {
    const { runId } = await failed();
    await driver().apply(storing(everyMinute('other')), storing(everyMinute('', { key: triggerKey('daily') })));
    const keys: readonly TriggerKey[] = [triggerKey('other'), triggerKey('daily')];
    await driver().apply(...keys.map((key) => ({ type: 'deleteTrigger', key }) as const));
    expect(await driver().find(retryTriggerKey(runId))).not.toBeNull();
    expect(await runs()).toEqual([]);
  });

  it('does not become a dead letter if it is deleted while it runs', async () => {
    const { runId } = await failed();
    const key = retryTriggerKey(runId);
    driver().now += HOUR;
    const fired = await driver().fireDue();
    expect(namesOf(fired)).toContain(key.name);
    expect(await driver().applyOne({ type: 'deleteTrigger', key, unfired: true })).toMatchObject({
      status: 'notFound',
    });
    await driver().applyOne(ofTrigger);
    expect(await driver().find(key)).toBeNull();
    expect(await runs()).toEqual([]);
    const again = fired.find(({ trigger }) => trigger.key.name === key.name) as TriggerFiring;
    expect(await driver().complete(again, 'DELETE_TRIGGER')).toMatchObject({ status: 'completed' });
  });

  it.each([
    'jitter',
    'rate',
    'overlap',
  ] as const)('differs from a first run that %s has deferred, which is deleted without a record', async (rule) => {
    await driver().schedule(job('job', durable), everyMinute('', { key: ORIGIN }));
    const firing = await driver().fireOne();
    const of = { jobKey: jobKey('job'), data: deferredData(firing, rule), priority: 5 };
    const deferred = oneShotTrigger(deferredTriggerKey(firing.runId), NOW + HOUR, of, undefined);
    expect(deferred.key.group).toBe(DEFERRED_JOBS);
    await driver().complete(firing, 'NOOP', { further: [deferred] });
    await driver().applyOne(ofTrigger);
    expect([await stored(), await runs()]).toEqual([[], []]);
  });

  it('differs from a backfill, which remains when its trigger is deleted', async () => {
    await driver().schedule(job('job', durable), everyMinute('', { key: ORIGIN }));
    const firing = await driver().fireOne();
    const { data } = retryOf(firing, NOW);
    const key = { group: 'BACKFILL_1', name: '1' };
    await driver().apply(storing(once('', { key, data, startTime: NOW + HOUR })));
    await driver().applyOne(ofTrigger);
    expect([await stored(), await runs()]).toEqual([[key], []]);
  });
}
