import { refuse } from '../../../src/domain/admission';
import type { Completion } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { occurrenceOf, RETRYING_JOBS, SHARDED_JOBS } from '../../../src/domain/occurrence';
import type { RunOutcome } from '../../../src/domain/run';
import { partKey } from '../../../src/domain/shards';
import type { ShardPolicy } from '../../../src/domain/spread-policy';
import type { CompletionOutcome } from '../../../src/store/job-store';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, job, MINUTE, NOW, once, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';
import { retryOf } from './retries';

/** Occurrences that run in parts: the parts stored in place of a firing, and the end of the last part. */
export function describeShards(context: StoreContext): void {
  describe('shards', () => {
    describeParts(context);
    describeEnds(context);
    describeGivingUp(context);
    describePausing(context);
  });
}

const spread = (shards: number, more: Partial<ShardPolicy> = {}) => ({ policy: { spread: { shards, ...more } } });

/** Returns the completion that replaces a firing by its parts. */
export function takeApart(firing: TriggerFiring, nodes: readonly string[] = []): Completion {
  const refusal = refuse(firing, nodes);
  if (refusal?.status !== 'defer' || refusal.parts === undefined) throw new Error('Expected parts.');
  const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
  return { firing, instruction, further: refusal.further, parts: refusal.parts };
}

/** The completion of a part. With `retry`, the part is retried a second later. */
export function endPart(driver: StoreDriver, firing: TriggerFiring, outcome: RunOutcome = 'succeeded', retry = false) {
  const end = { occurrence: occurrenceOf(firing), outcome, isFinal: !retry, endTime: driver.now };
  const further = retry ? { further: [retryOf(firing, driver.now, SECOND)] } : {};
  return { firing, instruction: 'DELETE_TRIGGER', end, ...further } as const satisfies Completion;
}

export const indexOf = (firing: TriggerFiring) => occurrenceOf(firing).shard?.index ?? -1;

/** Fires the one trigger that is due, and stores its parts. */
async function spreadOne(driver: StoreDriver): Promise<string> {
  const firing = await driver.fireOne();
  driver.now = Math.max(driver.now, firing.fireTime); // reading took its time
  await driver.store.completeTriggers([takeApart(firing)]);
  return firing.runId;
}

async function endAll(driver: StoreDriver, parts: readonly TriggerFiring[]): Promise<readonly CompletionOutcome[]> {
  return driver.store.completeTriggers(parts.map((part) => endPart(driver, part)));
}

async function resetAll(driver: StoreDriver): Promise<void> {
  const { items } = await allTriggers(driver.store, { states: ['ERROR'] });
  await driver.store.resetTriggersFromError(items.map(({ trigger }) => trigger.key));
}

const sweep = (driver: StoreDriver) => driver.store.endOccurrences({ after: null, maxCount: 100, now: driver.now });

function describeParts({ driver }: StoreContext): void {
  it('cover each number exactly once, with its parameter, and with the data and priority of their trigger', async () => {
    await driver().schedule(
      job('job', spread(3, { params: ['a', { to: 5 }, null] })),
      everyMinute('trigger', { data: { list: 'x' }, priority: 8 }),
    );
    driver().announced = [];
    const id = await spreadOne(driver());
    expect(driver().announced).toEqual([driver().now]);
    const parts = await driver().fireDue();
    const byIndex = [...parts].sort((a, b) => indexOf(a) - indexOf(b));
    expect(byIndex.map(occurrenceOf)).toEqual(
      ['a', { to: 5 }, null].map((param, index) => ({
        id,
        triggerKey: triggerKey('trigger'),
        scheduledTime: NOW,
        attempt: 1,
        shard: { index, count: 3, param, isCounted: true },
      })),
    );
    for (const { trigger } of parts) expect(trigger).toMatchObject({ priority: 8, data: { list: 'x' } });
    expect(await driver().fireDue()).toEqual([]);
    await expect(driver().trigger()).resolves.toMatchObject({ nextFireTime: NOW + MINUTE });
  });

  it.each([1, 3, 1_000])('are fired in batches of %i', async (maxCount) => {
    await driver().schedule(job('job', spread(7)), once());
    await spreadOne(driver());
    const seen: number[] = [];
    for (;;) {
      const parts = await driver().fireDue({ maxCount });
      if (parts.length === 0) break;
      expect(parts.length).toBeLessThanOrEqual(maxCount);
      seen.push(...parts.map(indexOf));
      await endAll(driver(), parts);
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
  });

  it('are at most a thousand, and keep a non-durable job until the last one has ended', async () => {
    await driver().schedule(job('job', spread(1_000)), once());
    await spreadOne(driver());
    await expect(driver().find()).resolves.toBeNull();
    const { total } = await allTriggers(driver().store, { group: GroupMatcher.groupEquals(SHARDED_JOBS) });
    expect(total).toBe(1_000);
    const parts = await driver().fireDue({ maxCount: 2_000 });
    expect(new Set(parts.map(indexOf)).size).toBe(1_000);
    await endAll(driver(), parts.slice(1));
    await expect(driver().job()).resolves.not.toBeNull();
    const [last] = await endAll(driver(), parts.slice(0, 1));
    expect(last).toMatchObject({
      deletedTrigger: true,
      deletedJob: true,
      endedOccurrences: [{ parts: 1_000, failed: 0 }],
    });
  });

  it('are not stored for a fenced firing or for a deleted job', async () => {
    await driver().schedule(job('job', spread(2)), everyMinute());
    const firing = await driver().fireOne();
    const completion = takeApart(firing);
    await driver().apply({ type: 'deleteJob', key: jobKey('job') });
    const [outcome] = await driver().store.completeTriggers([completion]);
    expect(outcome).toMatchObject({
      status: 'completed',
      notStored: [{ group: SHARDED_JOBS }, { group: SHARDED_JOBS }],
    });
    await driver().schedule(job('job', spread(2)), everyMinute());
    expect(await driver().store.completeTriggers([completion])).toMatchObject([{ status: 'fenced' }]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
    await expect(driver().find(partKey(firing.runId, 0))).resolves.toBeNull();
  });

  it('can belong to occurrences of several triggers in one batch', async () => {
    await driver().schedule(job('a', spread(2)), once('a'));
    await driver().schedule(job('b'), once('b', spread(3)), once('c'));
    const firings = await driver().fireDue();
    driver().now += SECOND;
    await driver().store.completeTriggers(
      firings.map((firing) =>
        firing.trigger.key.name === 'c' ? { firing, instruction: 'DELETE_TRIGGER' } : takeApart(firing),
      ),
    );
    const parts = await driver().fireDue();
    expect(parts.map((part) => `${occurrenceOf(part).triggerKey.name}${indexOf(part)}`).sort()).toEqual([
      'a0',
      'a1',
      'b0',
      'b1',
      'b2',
    ]);
    const ended = (await endAll(driver(), parts)).flatMap(({ endedOccurrences }) => endedOccurrences ?? []);
    expect(ended.map(({ triggerKey: { name }, parts: count }) => [name, count]).sort()).toEqual([
      ['a', 2],
      ['b', 3],
    ]);
  });

  it('run one after the other if their job is non-concurrent', async () => {
    await driver().schedule(job('job', { ...spread(3), disallowConcurrentExecution: true }), everyMinute());
    await spreadOne(driver());
    const seen: number[] = [];
    for (let count = 0; count < 3; count++) {
      const part = await driver().fireOne({ maxCount: 100 });
      await expect(driver().fireDue()).resolves.toEqual([]);
      seen.push(indexOf(part));
      await endAll(driver(), [part]);
    }
    expect(seen.sort()).toEqual([0, 1, 2]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
  });
}

function describeEnds({ driver }: StoreContext): void {
  it('end their occurrence exactly once, after the last one, even if some fail', async () => {
    await driver().schedule(job('job', spread(3)), everyMinute());
    const id = await spreadOne(driver());
    const [first, second, third] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring, TriggerFiring];
    const of = {
      id,
      triggerKey: triggerKey('trigger'),
      jobKey: jobKey('job'),
      scheduledTime: NOW,
      startTime: driver().now,
      parts: 3,
      isBroadcast: false,
    };
    const complete = (completion: Completion) => driver().store.completeTriggers([completion]);
    const outcomes = [
      ...(await complete(endPart(driver(), first))),
      ...(await complete(endPart(driver(), second, 'failed'))),
    ];
    expect(outcomes.map(({ endedOccurrences }) => endedOccurrences)).toEqual([undefined, undefined]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([{ ...of, remaining: 1, failed: 1 }]);
    expect(await complete(endPart(driver(), first))).toMatchObject([{ status: 'fenced' }]);
    const [last] = await complete(endPart(driver(), third));
    expect(last?.endedOccurrences).toEqual([{ ...of, remaining: 0, failed: 1 }]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
    expect(await complete(endPart(driver(), third))).toMatchObject([{ status: 'fenced' }]);
  });

  it('are retried separately, while their occurrence waits for the last attempt', async () => {
    await driver().schedule(job('job', spread(2)), once());
    const id = await spreadOne(driver());
    const parts = await driver().fireDue();
    const [failing, other] = parts as [TriggerFiring, TriggerFiring];
    await driver().store.completeTriggers([endPart(driver(), failing, 'failed', true), endPart(driver(), other)]);
    await expect(driver().store.getOccurrences()).resolves.toMatchObject([{ id, remaining: 1, failed: 0 }]);
    driver().now += SECOND;
    const again = await driver().fireOne({ maxCount: 100 });
    expect(occurrenceOf(again)).toEqual({ ...occurrenceOf(failing), attempt: 2 });
    const [outcome] = await endAll(driver(), [again]);
    expect(outcome?.endedOccurrences).toMatchObject([{ id, failed: 0, remaining: 0 }]);
  });

  it('are separate for each occurrence of one trigger, and end in any order', async () => {
    await driver().schedule(job('job', spread(2)), everyMinute());
    const first = await spreadOne(driver());
    const ofFirst = await driver().fireDue();
    driver().now += MINUTE;
    const second = await spreadOne(driver());
    const ofSecond = await driver().fireDue();
    const ends = [...(await endAll(driver(), ofSecond)), ...(await endAll(driver(), ofFirst))];
    expect(ends.flatMap(({ endedOccurrences }) => endedOccurrences?.map(({ id }) => id) ?? [])).toEqual([
      second,
      first,
    ]);
  });
}

function describeGivingUp({ driver }: StoreContext): void {
  it('that are deleted count as failed, and can end their occurrence', async () => {
    await driver().schedule(job('job', spread(3)), everyMinute());
    const id = await spreadOne(driver());
    const { endedOccurrences = [] } = await driver().store.applySchedule(
      [{ type: 'deleteTrigger', key: partKey(id, 1) }],
      driver().options,
    );
    expect(endedOccurrences).toEqual([]);
    await expect(driver().store.getOccurrences()).resolves.toMatchObject([{ remaining: 2, failed: 1 }]);
    const [running, failing] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    await driver().apply({ type: 'deleteTrigger', key: running.trigger.key }); // it goes on
    await driver().store.completeTriggers([endPart(driver(), failing, 'failed', true)]);
    expect((await endAll(driver(), [running]))[0]?.endedOccurrences).toBeUndefined();
    await expect(driver().store.getOccurrences()).resolves.toMatchObject([{ remaining: 1, failed: 1 }]);
    const { items } = await allTriggers(driver().store, { jobKey: jobKey('job'), states: ['WAITING'] });
    const retries = items.map(({ trigger }) => trigger.key).filter(({ group }) => group === RETRYING_JOBS);
    const last = await driver().store.applySchedule(
      retries.map((key) => ({ type: 'deleteTrigger', key })),
      driver().options,
    );
    expect(last.endedOccurrences).toMatchObject([{ id, parts: 3, remaining: 0, failed: 2 }]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
    expect(await sweep(driver())).toEqual({ ended: [], next: null });
  });

  it.each([
    'SET_ALL_JOB_TRIGGERS_ERROR',
    'SET_ALL_JOB_TRIGGERS_COMPLETE',
  ] as const)('that end with the other triggers of their job count as failed: %s', async (instruction) => {
    await driver().schedule(job('job', { ...spread(3), durable: true }), once());
    await spreadOne(driver());
    const [first, second] = (await driver().fireDue({ maxCount: 2 })) as [TriggerFiring, TriggerFiring];
    const [outcome] = await driver().store.completeTriggers([{ ...endPart(driver(), first, 'failed'), instruction }]);
    expect(outcome?.endedOccurrences).toBeUndefined();
    await expect(driver().store.getOccurrences()).resolves.toMatchObject([{ remaining: 1, failed: 2 }]);
    const [last] = await endAll(driver(), [second]);
    expect(last?.endedOccurrences).toMatchObject([{ parts: 3, failed: 2 }]);
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
  });

  it('that end with the other triggers of their job end the occurrence, which a later reset does not change', async () => {
    await driver().schedule(job('job', { ...spread(2), durable: true }), once());
    await spreadOne(driver());
    const [first] = (await driver().fireDue({ maxCount: 1 })) as [TriggerFiring];
    const [outcome] = await driver().store.completeTriggers([
      { ...endPart(driver(), first, 'failed'), instruction: 'SET_ALL_JOB_TRIGGERS_ERROR' },
    ]);
    expect(outcome?.endedOccurrences).toMatchObject([{ failed: 2 }]);
    await resetAll(driver());
    const [left] = await driver().fireDue();
    expect(await endAll(driver(), [left as TriggerFiring])).toMatchObject([{ status: 'completed' }]);
    expect(await sweep(driver())).toEqual({ ended: [], next: null });
  });

  it('that are reset while others run are awaited again', async () => {
    await driver().schedule(job('job', { ...spread(3), durable: true }), once());
    await spreadOne(driver());
    const [first, second] = (await driver().fireDue({ maxCount: 2 })) as [TriggerFiring, TriggerFiring];
    await driver().store.completeTriggers([
      { ...endPart(driver(), first, 'failed'), instruction: 'SET_ALL_JOB_TRIGGERS_ERROR' },
    ]);
    await resetAll(driver());
    await expect(driver().store.getOccurrences()).resolves.toMatchObject([{ remaining: 2, failed: 1 }]);
    expect((await endAll(driver(), [second]))[0]?.endedOccurrences).toBeUndefined();
    const third = await driver().fireOne({ maxCount: 9 });
    expect((await endAll(driver(), [third]))[0]?.endedOccurrences).toMatchObject([{ failed: 1 }]);
  });

  it('whose retry cannot be stored because their job was deleted count as failed', async () => {
    await driver().schedule(job('job', spread(2)), everyMinute());
    const id = await spreadOne(driver());
    const [first, second] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    await driver().apply({ type: 'deleteJob', key: jobKey('job') });
    await endAll(driver(), [second]);
    const [outcome] = await driver().store.completeTriggers([endPart(driver(), first, 'failed', true)]);
    expect(outcome?.endedOccurrences).toMatchObject([{ id, failed: 1 }]);
  });

  it('are swept in pages', async () => {
    for (const name of ['a', 'b', 'c']) await driver().schedule(job(name, spread(1)), once(name));
    const firings = await driver().fireDue();
    await driver().store.completeTriggers(firings.map((firing) => takeApart(firing)));
    const ids = firings.map(({ runId }) => runId).sort();
    const { ended, next } = await driver().store.endOccurrences({ after: null, maxCount: 2, now: NOW });
    expect([ended, next]).toEqual([[], ids[1]]);
    const rest = await driver().store.endOccurrences({ after: next, maxCount: 2, now: NOW });
    expect(rest).toEqual({ ended: [], next: null });
  });

  it('are deleted when the schedule is cleared', async () => {
    await driver().schedule(job('job', spread(2)), everyMinute());
    await spreadOne(driver());
    const [running] = await driver().fireDue();
    await driver().apply({ type: 'clear' });
    await expect(driver().store.getOccurrences()).resolves.toEqual([]);
    expect(await sweep(driver())).toEqual({ ended: [], next: null });
    expect((await endAll(driver(), [running as TriggerFiring]))[0]?.endedOccurrences).toBeUndefined();
  });
}

function describePausing({ driver }: StoreContext): void {
  it('are paused with their trigger, job or group, which does not end their occurrence', async () => {
    await driver().schedule(job('job', spread(2)), everyMinute());
    const id = await spreadOne(driver());
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    await expect(driver().state(partKey(id, 0))).resolves.toBe('PAUSED');
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    await expect(driver().state(partKey(id, 0))).resolves.toBe('WAITING');
    await driver().store.pauseJobs([jobKey('job')]);
    await expect(driver().state(partKey(id, 1))).resolves.toBe('PAUSED');
    expect(await driver().fireDue()).toEqual([]);
    expect(await sweep(driver())).toEqual({ ended: [], next: null });
    await driver().store.resumeJobs([jobKey('job')], driver().options);
    await driver().store.pauseTriggers(GroupMatcher.groupEquals(SHARDED_JOBS));
    driver().now += MINUTE;
    const later = await spreadOne(driver());
    await expect(driver().state(partKey(later, 0))).resolves.toBe('PAUSED');
    await driver().store.resumeTriggers(GroupMatcher.groupEquals(SHARDED_JOBS), driver().options);
    expect(await driver().fireDue()).toHaveLength(4);
  });
}
