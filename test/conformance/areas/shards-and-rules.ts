import { refuse } from '../../../src/domain/admission';
import { originOf } from '../../../src/domain/chain';
import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher } from '../../../src/domain/keys';
import { occurrenceOf, SHARDED_JOBS } from '../../../src/domain/occurrence';
import type { OverlapRule } from '../../../src/domain/overlap';
import { rerunTrigger } from '../../../src/domain/retry';
import { NO_RETRY } from '../../../src/domain/retry-policy';
import type { RunOutcome, RunRecord } from '../../../src/domain/run';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, job, MINUTE, NOW, once, ran, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';
import { after } from './chains';
import { endPart, indexOf, takeApart } from './shards';

/** Occurrences that run in parts, with other policies: which parts overlap another run, and which runs wait for their end. */
export function describeShardsAndRules(context: StoreContext): void {
  describe('shards with other policies', () => {
    describeOverlap(context);
    describeWaiting(context);
    describeChains(context);
    describeReruns(context);
  });
}

const PARTS = 2;
const ruled = (overlap: OverlapRule) => job('job', { policy: { overlap, spread: { shards: PARTS } } });

/** Fires the one trigger that is due, and stores its parts. */
async function spreadOne(driver: StoreDriver): Promise<TriggerFiring> {
  const firing = await driver.fireOne();
  driver.now = Math.max(driver.now, firing.fireTime); // reading took its time
  await driver.store.completeTriggers([takeApart(firing)]);
  return firing;
}

/** As `spreadOne`, and fires the parts. */
async function fireParts(driver: StoreDriver): Promise<readonly TriggerFiring[]> {
  await spreadOne(driver);
  const parts = await driver.fireDue();
  expect(parts.map(indexOf).sort()).toEqual([0, 1]);
  return parts;
}

const end = (driver: StoreDriver, ...parts: readonly TriggerFiring[]) =>
  driver.store.completeTriggers(parts.map((part) => endPart(driver, part)));

/** Fires the trigger again. Returns the refusal of the firing, which is completed as the engine does. */
async function fireNext(driver: StoreDriver) {
  driver.now += MINUTE;
  const firing = await driver.fireOne();
  const refusal = refuse(firing);
  if (refusal?.status !== 'defer' || refusal.reason === 'spread') return refusal;
  await driver.store.completeTriggers([{ firing, instruction: 'NOOP', further: refusal.further }]);
  return refusal;
}

function describeOverlap({ driver }: StoreContext): void {
  it.each([
    ['allow', { status: 'defer', reason: 'spread' }],
    ['skip', { status: 'skip', reason: 'overlap' }],
    ['queueOne', { status: 'defer', reason: 'overlap' }],
    [{ queueAll: 3 }, { status: 'defer', reason: 'overlap' }],
    ['cancelRunning', { status: 'defer', reason: 'overlap' }],
  ] as const)('run concurrently under %p, which applies to later firings while one shard runs', async (rule, next) => {
    await driver().schedule(ruled(rule), everyMinute());
    const [first, second] = (await fireParts(driver())) as [TriggerFiring, TriggerFiring];
    for (const part of [first, second]) expect(refuse(part)).toBeNull();
    await end(driver(), first);
    const found = await fireNext(driver());
    expect(found).toMatchObject(next);
    const cancelled = found?.status === 'defer' ? found.cancels : undefined;
    expect(cancelled ?? []).toEqual(rule === 'cancelRunning' ? [second.runId] : []);
  });

  it('are all interrupted by cancelRunning', async () => {
    await driver().schedule(ruled('cancelRunning'), everyMinute());
    const parts = await fireParts(driver());
    const found = await fireNext(driver());
    const cancelled = found?.status === 'defer' ? [...(found.cancels ?? [])] : [];
    expect(cancelled.sort()).toEqual(parts.map(({ runId }) => runId).sort());
  });

  it('count for overlap until the last one has ended, even while none runs', async () => {
    await driver().schedule(ruled('skip'), everyMinute());
    await spreadOne(driver());
    await driver().store.pauseTriggers(GroupMatcher.groupEquals(SHARDED_JOBS));
    expect(await fireNext(driver())).toMatchObject({ status: 'skip', reason: 'overlap' });
    await driver().store.resumeTriggers(GroupMatcher.groupEquals(SHARDED_JOBS), driver().options);
    await end(driver(), ...(await driver().fireDue()));
    expect(await fireNext(driver())).toMatchObject({ status: 'defer', reason: 'spread' });
  });

  it('do not count for overlap after they were deleted', async () => {
    await driver().schedule(ruled('skip'), everyMinute());
    await spreadOne(driver());
    await driver().apply({
      type: 'deleteTriggersInGroup',
      group: GroupMatcher.groupEquals(SHARDED_JOBS),
      exceptGroups: [],
    });
    driver().now += MINUTE;
    await spreadOne(driver());
    await driver().apply({ type: 'clear' });
    await driver().schedule(ruled('skip'), everyMinute('trigger', { startTime: driver().now }));
    expect(refuse(await driver().fireOne())).toMatchObject({ status: 'defer', reason: 'spread' });
  });
}

function describeWaiting({ driver }: StoreContext): void {
  it.each([
    'queueOne',
    { queueAll: 3 },
    'cancelRunning',
  ] as const)('let a run that waits under %p start with its own shards after all have ended', async (rule) => {
    await driver().schedule(ruled(rule), everyMinute());
    const [first, second] = (await fireParts(driver())) as [TriggerFiring, TriggerFiring];
    await fireNext(driver());
    expect(await driver().fireDue()).toEqual([]);
    await end(driver(), first);
    expect(await driver().fireDue()).toEqual([]);
    await end(driver(), second);
    const parts = await fireParts(driver());
    expect(parts.map((part) => occurrenceOf(part).scheduledTime)).toEqual([NOW + MINUTE, NOW + MINUTE]);
  });

  it.each([
    'queueOne',
    { queueAll: 3 },
    'cancelRunning',
  ] as const)('let a run that waits under %p start only after the retries of shards have ended', async (rule) => {
    await driver().schedule(ruled(rule), everyMinute());
    const [first, second] = (await fireParts(driver())) as [TriggerFiring, TriggerFiring];
    await fireNext(driver());
    await driver().store.completeTriggers([endPart(driver(), first, 'failed', true), endPart(driver(), second)]);
    expect(await driver().fireDue()).toEqual([]); // no part executes
    driver().now += SECOND;
    const [again, ...others] = await driver().fireDue();
    expect([others, again && occurrenceOf(again).attempt]).toEqual([[], 2]);
    await end(driver(), again as TriggerFiring);
    await fireParts(driver());
  });

  it('let runs that wait under queueAll start one occurrence after the other', async () => {
    await driver().schedule(ruled({ queueAll: 3 }), everyMinute());
    let parts = await fireParts(driver());
    for (let count = 0; count < 3; count++) await fireNext(driver());
    for (let minute = 1; minute <= 3; minute++) {
      const [first, second] = parts as [TriggerFiring, TriggerFiring];
      await end(driver(), first);
      expect(await driver().fireDue()).toEqual([]);
      await end(driver(), second);
      parts = await fireParts(driver());
      expect(await driver().fireDue()).toEqual([]);
      expect(parts.map((part) => occurrenceOf(part).scheduledTime)).toEqual(parts.map(() => NOW + minute * MINUTE));
    }
  });

  it('let a waiting run start when the remaining shards are deleted', async () => {
    await driver().schedule(ruled('queueOne'), everyMinute());
    await spreadOne(driver());
    await driver().store.pauseTriggers({ operator: 'equals', value: SHARDED_JOBS });
    await fireNext(driver());
    await driver().store.resumeTriggers({ operator: 'equals', value: SHARDED_JOBS }, driver().options);
    const group = GroupMatcher.groupEquals(SHARDED_JOBS);
    await driver().apply({ type: 'deleteTriggersInGroup', group, exceptGroups: [] });
    await fireParts(driver());
  });

  it.each([
    'skip',
    'queueOne',
    { queueAll: 3 },
    'cancelRunning',
  ] as const)('are retried under %p while other shards run', async (rule) => {
    await driver().schedule(ruled(rule), everyMinute());
    const [first, second] = (await fireParts(driver())) as [TriggerFiring, TriggerFiring];
    await driver().store.completeTriggers([endPart(driver(), first, 'failed', true)]);
    driver().now += SECOND;
    const again = await driver().fireOne();
    expect(occurrenceOf(again)).toEqual({ ...occurrenceOf(first), attempt: 2 });
    expect(refuse(again)).toBeNull();
    expect((await end(driver(), second, again))[1]?.endedOccurrences).toMatchObject([{ failed: 0, remaining: 0 }]);
  });
}

function describeReruns({ driver }: StoreContext): void {
  /** Creates an occurrence of two parts, one of which has failed finally, and a job that follows a failure. */
  const withDeadPart = async () => {
    const durable = { durable: true } as const;
    await driver().schedule(job('alarm', durable), after('alarm', ['job'], { on: 'failure' }));
    await driver().schedule(job('job', { ...durable, policy: { spread: { shards: PARTS } } }), once());
    const { runId: occurrenceId } = await spreadOne(driver());
    const [dead, other] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    const shard = { index: indexOf(dead), count: PARTS, param: null };
    const detail = JSON.stringify({ shard });
    const run = ran('dead', { occurrenceId, outcome: 'failed', isDeadLetter: true, detail, endTime: driver().now });
    await driver().store.completeTriggers([{ ...endPart(driver(), dead, 'failed'), run }]);
    return { run, other };
  };
  const rerun = async (run: RunRecord) => {
    const resolution = { endTime: run.endTime, runId: run.runId, rerun: rerunTrigger(run, NO_RETRY, driver().now) };
    expect(await driver().store.resolveFailedRuns([resolution])).toEqual([true]);
  };

  it('delay the end of their occurrence when a dead one is rerun, whose failure no longer counts', async () => {
    const { run, other } = await withDeadPart();
    await rerun(run);
    expect(await driver().store.getOccurrences()).toMatchObject([{ remaining: 2, failed: 0 }]);
    expect(await end(driver(), other)).toEqual([expect.not.objectContaining({ endedOccurrences: expect.anything() })]);
    const [again, ...rest] = await driver().fireDue();
    expect([rest, again && occurrenceOf(again)]).toMatchObject([[], { id: run.occurrenceId, attempt: 2 }]);
    expect(await end(driver(), again as TriggerFiring)).toMatchObject([{ endedOccurrences: [{ failed: 0 }] }]);
    expect(await driver().fireDue()).toEqual([]);
  });

  it('fail their occurrence if the rerun of a dead one fails', async () => {
    const { run, other } = await withDeadPart();
    await rerun(run);
    await end(driver(), other);
    const again = await driver().fireOne();
    const outcomes = await driver().store.completeTriggers([endPart(driver(), again, 'failed')]);
    expect(outcomes).toMatchObject([{ endedOccurrences: [{ failed: 1 }] }]);
    expect((await driver().fireDue()).map(({ jobDetail }) => jobDetail.key.name)).toEqual(['alarm']);
  });

  it('can be rerun after their occurrence has ended, without effect on the occurrence', async () => {
    const { run, other } = await withDeadPart();
    expect(await end(driver(), other)).toMatchObject([{ endedOccurrences: [{ failed: 1 }] }]);
    expect((await driver().fireDue()).map(({ jobDetail }) => jobDetail.key.name)).toEqual(['alarm']);
    await rerun(run);
    const again = await driver().fireOne();
    expect(occurrenceOf(again)).toMatchObject({
      id: run.occurrenceId,
      shard: { index: indexOf(again), isCounted: false },
    });
    const outcomes = await driver().store.completeTriggers([endPart(driver(), again, 'failed')]);
    expect(outcomes).toEqual([expect.not.objectContaining({ endedOccurrences: expect.anything() })]);
    expect(await driver().fireDue()).toEqual([]);
  });
}

function describeChains({ driver }: StoreContext): void {
  it.each<[RunOutcome, 'success' | 'failure', number]>([
    ['succeeded', 'success', 1],
    ['succeeded', 'failure', 0],
    ['failed', 'success', 0],
    ['failed', 'failure', 1],
  ])('start the followers of their job once, after the last shard: one %s, on %s', async (outcome, on, starts) => {
    const durable = { durable: true } as const;
    await driver().schedule(job('load', durable), after('load', ['job'], { on }));
    await driver().schedule(job('job', { ...durable, policy: { spread: { shards: PARTS } } }), once());
    const firing = await spreadOne(driver());
    const [first, second] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    await driver().store.completeTriggers([endPart(driver(), first, outcome)]);
    expect(await driver().fireDue()).toEqual([]);
    await end(driver(), second);
    const started = await driver().fireDue();
    expect(started).toHaveLength(starts);
    for (const each of started) {
      expect(each.jobDetail.key.name).toBe('load');
      expect(originOf(each.trigger)).toEqual({ jobKey: job('job').key, runId: firing.runId, outcome });
    }
  });

  it('start the followers of their job even if a shard was deleted', async () => {
    const durable = { durable: true } as const;
    await driver().schedule(job('load', durable), after('load', ['job'], { on: 'failure' }));
    await driver().schedule(job('job', { ...durable, policy: { spread: { shards: PARTS } } }), once());
    await spreadOne(driver());
    const [first] = (await driver().fireDue({ maxCount: 1 })) as [TriggerFiring];
    const { items } = await allTriggers(driver().store, { group: GroupMatcher.groupEquals(SHARDED_JOBS) });
    for (const { trigger } of items) {
      if (trigger.key.name !== first.trigger.key.name)
        await driver().apply({ type: 'deleteTrigger', key: trigger.key });
    }
    await end(driver(), first);
    expect((await driver().fireDue()).map(({ jobDetail }) => jobDetail.key.name)).toEqual(['load']);
  });
}
