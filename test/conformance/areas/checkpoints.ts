import { oneShot } from '../../../src/domain/catch-up';
import { type CheckpointKey, checkpointKeyOf } from '../../../src/domain/checkpoint';
import type { Completion, RunEnd } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { occurrenceOf } from '../../../src/domain/occurrence';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, job, MINUTE, NOW, once, ran, SECOND } from '../samples';
import { type StoreDriver, storing } from '../store-driver';
import { after, ending } from './chains';
import { retryOf } from './retries';

/** Progress that runs save: who may save it, who reads it, and when it is deleted. */
export function describeCheckpoints(context: StoreContext): void {
  describe('checkpoints', () => {
    describeSaving(context);
    describeEnds(context);
    describeDeadLetters(context);
    describePruning(context);
  });
}

const keyOf = (firing: TriggerFiring): CheckpointKey => checkpointKeyOf(occurrenceOf(firing));

/** Saves a value for the run of a firing. */
export function save(driver: StoreDriver, firing: TriggerFiring, value: unknown): Promise<boolean> {
  const saved = { ...keyOf(firing), runId: firing.runId, value: JSON.stringify(value) };
  return driver.store.saveCheckpoint(saved, driver.now);
}

/** Returns the checkpoint that a run of the firing's occurrence reads. */
export async function saved(driver: StoreDriver, firing: TriggerFiring): Promise<unknown> {
  const text = await driver.store.readCheckpoint(keyOf(firing));
  return text === null ? null : JSON.parse(text);
}

/** The end of a run that has a checkpoint. */
function ended(firing: TriggerFiring, end: Partial<RunEnd> = {}): Pick<Completion, 'end'> {
  const occurrence = occurrenceOf(firing);
  return { end: { occurrence, outcome: 'succeeded', isFinal: true, endTime: NOW, hasCheckpoint: true, ...end } };
}

/** Fails a run, and fires its retry. */
async function fail(driver: StoreDriver, firing: TriggerFiring): Promise<TriggerFiring> {
  const further = [retryOf(firing, driver.now, SECOND)];
  await driver.complete(firing, 'NOOP', { further, ...ended(firing, { outcome: 'failed', isFinal: false }) });
  driver.now += SECOND;
  return driver.fireOne({ maxCount: 100 });
}

function describeSaving({ driver }: StoreContext): void {
  it('store the newest value of a run, any JSON up to 64 kB', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    expect(await saved(driver(), firing)).toBeNull();
    const large = { text: `'"\\ \u0000 ü 任务 ${'x'.repeat(65_000)}` };
    for (const value of [{ lastId: 1 }, 7, 'text', [1, null, { a: true }], large, false]) {
      expect(await save(driver(), firing, value)).toBe(true);
      expect(await saved(driver(), firing)).toEqual(value);
      expect(await save(driver(), firing, value)).toBe(true); // also the same once more
    }
  });

  it('belong to one occurrence each', async () => {
    await driver().scheduleAll(everyMinute('a'), everyMinute('b'));
    const [a, b] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    driver().now += MINUTE;
    const later = (await driver().fireDue())[0] as TriggerFiring;
    await save(driver(), a, 'a');
    await save(driver(), later, 'later');
    expect([await saved(driver(), a), await saved(driver(), b), await saved(driver(), later)]).toEqual([
      'a',
      null,
      'later',
    ]);
  });

  it('belong to one occurrence each, even if several of a trigger have the same scheduled time', async () => {
    await driver().schedule(job('extract'), once('extract 1'), once('extract 2'));
    await driver().schedule(job('load'), after('load', ['extract']));
    const parents = await driver().fireDue({ maxCount: 2 });
    const endTime = driver().now;
    await driver().store.completeTriggers(parents.map((firing) => ending(firing, endTime)));
    const [first, second] = (await driver().fireDue({ maxCount: 2 })) as [TriggerFiring, TriggerFiring];
    const [a, b] = [occurrenceOf(first), occurrenceOf(second)];
    expect([a.triggerKey, a.scheduledTime]).toEqual([b.triggerKey, b.scheduledTime]);
    await save(driver(), first, 'first');
    await save(driver(), second, 'second');
    const again = await fail(driver(), first);
    expect([await saved(driver(), again), await saved(driver(), second)]).toEqual(['first', 'second']);
    await driver().complete(second, 'DELETE_TRIGGER', ended(second));
    expect(await saved(driver(), again)).toBe('first');
  });

  it('belong to single parts if an occurrence has parts', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    const runId = firing.runId;
    for (const shard of [0, 1, null]) {
      const value = JSON.stringify({ shard });
      expect(await driver().store.saveCheckpoint({ ...keyOf(firing), shard, runId, value }, NOW)).toBe(true);
    }
    const found = [0, 1, 2, null].map((shard) => driver().store.readCheckpoint({ ...keyOf(firing), shard }));
    expect(await Promise.all(found)).toEqual(['{"shard":0}', '{"shard":1}', null, '{"shard":null}']);
  });

  it('are refused for an ended run and for an unknown run', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().complete(firing);
    expect(await save(driver(), firing, 1)).toBe(false);
    expect(await save(driver(), { ...firing, runId: 'another' }, 1)).toBe(false);
    expect(await saved(driver(), firing)).toBeNull();
  });

  it('are refused for a reserved trigger that has not fired', async () => {
    await driver().scheduleAll(once('trigger', { startTime: NOW + SECOND }));
    const { runId } = await driver().acquireOne();
    const key = { occurrenceId: runId, shard: null };
    expect(await driver().store.saveCheckpoint({ ...key, runId, value: '1' }, NOW)).toBe(false);
  });
}

function describeEnds({ driver }: StoreContext): void {
  it('are read by the retries of the occurrence, each of which can replace them', async () => {
    await driver().scheduleAll(everyMinute());
    const first = await driver().fireOne();
    await save(driver(), first, { lastId: 10 });
    const second = await fail(driver(), first);
    expect(await saved(driver(), second)).toEqual({ lastId: 10 });
    expect(await save(driver(), first, { lastId: 5 })).toBe(false); // it has ended
    await save(driver(), second, { lastId: 20 });
    const third = await fail(driver(), second);
    expect(await saved(driver(), third)).toEqual({ lastId: 20 });
  });

  it.each([
    'DELETE_TRIGGER',
    'NOOP',
  ] as const)('are deleted at the end of their own occurrence only (%s)', async (end) => {
    await driver().scheduleAll(everyMinute('other'), once('trigger', end === 'NOOP' ? everyMinute() : {}));
    const firings = await driver().fireDue();
    for (const each of firings) await save(driver(), each, each.trigger.key.name);
    const [mine, other] = [...firings].sort((a, b) => (a.trigger.key.name < b.trigger.key.name ? 1 : -1)) as [
      TriggerFiring,
      TriggerFiring,
    ];
    expect(await driver().complete(mine, end, ended(mine))).toMatchObject({ status: 'completed' });
    expect([await saved(driver(), mine), await saved(driver(), other)]).toEqual([null, 'other']);
  });

  it('are kept after a completion of a run that this node no longer owns', async () => {
    await driver().scheduleAll(everyMinute());
    const first = await driver().fireOne();
    await save(driver(), first, 1);
    const second = await fail(driver(), first);
    expect(await driver().complete(first, 'NOOP', ended(first))).toMatchObject({ status: 'fenced' });
    expect(await saved(driver(), second)).toBe(1);
  });

  it('are kept after their trigger and job are deleted, until their occurrence ends', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await save(driver(), firing, 1);
    await driver().apply({ type: 'deleteJob', key: job().key });
    expect(await save(driver(), firing, 2)).toBe(true);
    expect(await saved(driver(), firing)).toBe(2);
    await driver().complete(firing, 'NOOP', ended(firing));
    expect(await saved(driver(), firing)).toBeNull();
  });
}

function describeDeadLetters({ driver }: StoreContext): void {
  const deadLetter = async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await save(driver(), firing, { lastId: 3 });
    const run = ran('run', { outcome: 'failed', isDeadLetter: true });
    await driver().complete(firing, 'NOOP', { run, ...ended(firing, { outcome: 'failed' }) });
    return { firing, run };
  };

  it('are kept with a dead letter, and read by its rerun', async () => {
    const { firing, run } = await deadLetter();
    expect(await saved(driver(), firing)).toEqual({ lastId: 3 });
    const rerun = retryOf(firing, driver().now, SECOND);
    expect(await driver().store.resolveFailedRuns([{ ...run, rerun }])).toEqual([true]);
    driver().now += SECOND;
    const again = await driver().fireOne({ maxCount: 100 });
    expect(await saved(driver(), again)).toEqual({ lastId: 3 });
  });

  it('are kept with a dead letter, and not read by a backfill of the same scheduled time', async () => {
    const { firing } = await deadLetter();
    const trigger = await driver().trigger();
    await driver().apply(storing(oneShot(trigger, firing.scheduledFireTime, { group: 'BACKFILL_1', startTime: NOW })));
    const backfilled = await driver().fireOne();
    expect(occurrenceOf(backfilled)).toMatchObject({ triggerKey: trigger.key, scheduledTime: NOW });
    await save(driver(), backfilled, { lastId: 1 });
    expect([await saved(driver(), firing), await saved(driver(), backfilled)]).toEqual([{ lastId: 3 }, { lastId: 1 }]);
    await driver().complete(backfilled, 'DELETE_TRIGGER', ended(backfilled));
    expect(await saved(driver(), firing)).toEqual({ lastId: 3 });
  });

  it('are deleted with a dead letter that is discarded', async () => {
    const { firing, run } = await deadLetter();
    const discarding = { ...run, rerun: null, checkpoint: keyOf(firing) };
    expect(await driver().store.resolveFailedRuns([{ ...discarding, runId: 'none' }])).toEqual([false]);
    expect(await saved(driver(), firing)).toEqual({ lastId: 3 });
    expect(await driver().store.resolveFailedRuns([discarding])).toEqual([true]);
    expect(await saved(driver(), firing)).toBeNull();
  });
}

function describePruning({ driver }: StoreContext): void {
  it('are not pruned while a run or retry may still read them', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await save(driver(), firing, 1);
    expect(await driver().store.pruneCheckpoints(NOW + MINUTE, 10)).toBe(0); // it executes
    await driver().complete(firing, 'NOOP', {
      further: [retryOf(firing, NOW, SECOND)],
      ...ended(firing, { isFinal: false }),
    });
    expect(await driver().store.pruneCheckpoints(NOW + MINUTE, 10)).toBe(0); // its retry waits
    await driver().store.applySchedule([{ type: 'deleteJob', key: job().key }], driver().options);
    expect(await driver().store.pruneCheckpoints(NOW, 10)).toBe(0); // not that old
    expect(await saved(driver(), firing)).toBe(1);
    expect(await driver().store.pruneCheckpoints(NOW + 1, 10)).toBe(1);
    expect(await saved(driver(), firing)).toBeNull();
  });

  it('are pruned in portions, by the end time of their last run', async () => {
    await driver().scheduleAll(...['a', 'b', 'c'].map((name) => everyMinute(name)));
    const firings = await driver().fireDue();
    for (const firing of firings) await save(driver(), firing, 1);
    for (const firing of firings) {
      const run = ran(firing.runId, { isDeadLetter: true, outcome: 'failed' });
      await driver().complete(firing, 'NOOP', { run, ...ended(firing, { endTime: NOW + MINUTE }) });
    }
    expect(await driver().store.pruneCheckpoints(NOW + MINUTE, 10)).toBe(0);
    const counts = [];
    for (let look = 0; look < 3; look++) counts.push(await driver().store.pruneCheckpoints(NOW + MINUTE + 1, 2));
    expect(counts).toEqual([2, 1, 0]);
  });
}
