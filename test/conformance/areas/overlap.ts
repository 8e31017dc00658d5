import { type Refusal, refuse } from '../../../src/domain/admission';
import type { TriggerFiring } from '../../../src/domain/firing';
import { deferredTriggerKey, occurrenceOf } from '../../../src/domain/occurrence';
import type { OverlapRule } from '../../../src/domain/overlap';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, job, MINUTE, NOW, once, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';
import { retryOf } from './retries';

/** Handling of a firing while an earlier run of its job executes. */
export function describeOverlap(context: StoreContext): void {
  describe('the overlap policy', () => {
    describeRules(context);
    describeQueues(context);
    describeOthers(context);
  });
}

const ruled = (overlap: OverlapRule) => job('job', { policy: { overlap } });

/** A trigger that became due that many seconds ago. */
function due(name: string, secondsAgo: number, fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return once(name, { startTime: NOW - secondsAgo * SECOND, ...fields });
}

/** Fires due triggers. Returns each with the decision of the policy: it runs, or it is refused. */
async function fired(driver: StoreDriver): Promise<(readonly [string, Refusal['status'] | 'runs'])[]> {
  const firings = await driver.fireDue();
  return firings.map((firing) => [occurrenceOf(firing).triggerKey.name, refuse(firing)?.status ?? 'runs'] as const);
}

/** Fires due triggers, and completes refused firings like the engine. Returns the firings whose jobs run. */
async function running(driver: StoreDriver): Promise<readonly TriggerFiring[]> {
  const firings = await driver.fireDue();
  const runs: TriggerFiring[] = [];
  for (const firing of firings) {
    const refusal = refuse(firing);
    if (refusal === null) runs.push(firing);
    else await end(driver, firing, refusal);
  }
  return runs;
}

function end(driver: StoreDriver, firing: TriggerFiring, refusal: Refusal | null = null) {
  const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
  return driver.complete(firing, instruction, refusal?.status === 'defer' ? { further: refusal.further } : {});
}

const namesOf = (firings: readonly TriggerFiring[]) => firings.map((each) => occurrenceOf(each).triggerKey.name);

function describeRules({ driver }: StoreContext): void {
  it.each([
    ['allow', ['runs', 'runs', 'runs']],
    ['skip', ['runs', 'skip', 'skip']],
    ['queueOne', ['runs', 'defer', 'skip']],
    [{ queueAll: 2 }, ['runs', 'defer', 'defer']],
    ['cancelRunning', ['runs', 'defer', 'skip']],
  ] as const)('with %p decides about each firing of a batch, the longest due first', async (rule, expected) => {
    await driver().schedule(ruled(rule), due('c', 1), due('a', 3), due('b', 2));
    const found = await fired(driver());
    expect(found).toEqual(['a', 'b', 'c'].map((name, index) => [name, expected[index]]));
  });

  it.each([
    ['skip', 'skip'],
    ['queueOne', 'defer'],
    ['cancelRunning', 'defer'],
  ] as const)('with %p applies while an earlier run executes, but not after its end', async (rule, status) => {
    await driver().schedule(ruled(rule), everyMinute('a'));
    const first = await driver().fireOne();
    driver().now += MINUTE;
    const second = await driver().fireOne();
    expect(refuse(second)).toMatchObject({ status, reason: 'overlap' });
    await end(driver(), second);
    await end(driver(), first);
    driver().now += MINUTE;
    expect(await fired(driver())).toEqual([['a', 'runs']]);
  });

  it('lists the executing runs that must be interrupted', async () => {
    await driver().schedule(ruled('cancelRunning'), due('a', 2));
    const first = await driver().fireOne();
    await driver().apply({ type: 'storeTrigger', trigger: due('b', 1), ifExists: 'fail', startTimeDefaulted: false });
    const second = await driver().fireOne();
    expect(refuse(second)).toMatchObject({ status: 'defer', reason: 'overlap', cancels: [first.runId] });
  });

  it('applies when a reservation fires', async () => {
    await driver().schedule(ruled('skip'), due('a', -1), due('b', -2));
    const acquired = await driver().acquire({ noLaterThan: NOW + MINUTE, timeWindow: MINUTE });
    driver().now = NOW + 3 * SECOND;
    const results = await driver().fire(...acquired);
    const firings = results.flatMap((each) => (each.status === 'fired' ? [each.firing] : []));
    expect(firings.map((each) => refuse(each)?.status ?? 'runs')).toEqual(['runs', 'skip']);
  });

  it('does not apply to other jobs, or to jobs without the policy', async () => {
    await driver().schedule(ruled('skip'), due('a', 2));
    await driver().schedule(job('other', { policy: { overlap: 'skip' } }), due('b', 1));
    await driver().schedule(job('free'), due('c', 1), due('d', 1));
    expect(await fired(driver())).toEqual(['a', 'b', 'c', 'd'].map((name) => [name, 'runs']));
  });

  it('is taken from the trigger if both the trigger and its job have one', async () => {
    await driver().schedule(ruled('skip'), due('a', 2), due('b', 1, { policy: { overlap: 'allow' } }));
    expect(await fired(driver())).toEqual([
      ['a', 'runs'],
      ['b', 'runs'],
    ]);
    await driver().apply({ type: 'storeTrigger', trigger: due('c', 1), ifExists: 'fail', startTimeDefaulted: false });
    expect(await fired(driver())).toEqual([['c', 'skip']]);
  });
}

function describeQueues({ driver }: StoreContext): void {
  it('releases deferred runs one after the other, in the order of their scheduled times', async () => {
    await driver().schedule(ruled({ queueAll: 3 }), due('d', 1), due('a', 4), due('c', 2), due('b', 3));
    let [now] = await running(driver());
    for (const name of ['b', 'c', 'd']) {
      expect(await running(driver())).toEqual([]);
      expect(await running(driver())).toEqual([]);
      await end(driver(), now as TriggerFiring);
      const next = await running(driver());
      expect(namesOf(next)).toEqual([name]);
      [now] = next;
    }
    await end(driver(), now as TriggerFiring);
    expect(await driver().job()).toBeNull();
  });

  it('keeps the occurrence, data and priority of a deferred run, which waits as BLOCKED', async () => {
    await driver().schedule(ruled('queueOne'), due('a', 2), due('b', 1, { data: { to: 'ops' }, priority: 9 }));
    const [a, b] = await driver().fireDue();
    await end(driver(), b as TriggerFiring, refuse(b as TriggerFiring));
    const key = deferredTriggerKey((b as TriggerFiring).runId);
    expect(await driver().state(key)).toBe('WAITING');
    expect(await driver().fireDue()).toEqual([]);
    expect(await driver().state(key)).toBe('BLOCKED');
    driver().announced = [];
    await end(driver(), a as TriggerFiring);
    expect(driver().announced).toEqual([NOW - SECOND]);
    const again = await driver().fireOne();
    expect(again.trigger).toMatchObject({ data: { to: 'ops' }, priority: 9 });
    expect(occurrenceOf(again)).toMatchObject({ scheduledTime: NOW - SECOND, attempt: 1 });
    expect(refuse(again)).toBeNull();
  });

  it('counts a deferred run until it fires again', async () => {
    await driver().schedule(ruled('queueOne'), everyMinute('a'));
    const first = await driver().fireOne();
    driver().now += MINUTE;
    const second = await driver().fireOne();
    expect(refuse(second)?.status).toBe('defer');
    driver().now += MINUTE;
    expect(await fired(driver())).toEqual([['a', 'skip']]);
    await end(driver(), second, refuse(second));
    driver().now += MINUTE;
    expect((await fired(driver())).map(([, status]) => status)).toEqual(['skip']);
    await end(driver(), first);
    driver().now += MINUTE;
    expect((await fired(driver())).map(([, status]) => status).sort()).toEqual(['defer', 'runs']);
  });

  it('does not count a deferred run that was deleted while it waited', async () => {
    await driver().schedule(ruled('queueOne'), everyMinute('a'));
    await driver().fireOne();
    driver().now += MINUTE;
    const second = await driver().fireOne();
    await end(driver(), second, refuse(second));
    await driver().apply({ type: 'deleteTrigger', key: deferredTriggerKey(second.runId) });
    driver().now += MINUTE;
    expect((await fired(driver())).map(([, status]) => status)).toEqual(['defer']);
  });
}

function describeOthers({ driver }: StoreContext): void {
  it('counts retries, which wait but are never refused', async () => {
    await driver().schedule(ruled('skip'), due('a', 2));
    const failed = await driver().fireOne();
    await driver().complete(failed, 'DELETE_TRIGGER', { further: [retryOf(failed, NOW, 0)] });
    const retry = await driver().fireOne();
    expect(occurrenceOf(retry).attempt).toBe(2);
    await driver().apply({ type: 'storeTrigger', trigger: due('b', 1), ifExists: 'fail', startTimeDefaulted: false });
    expect(await fired(driver())).toEqual([['b', 'skip']]);
    await driver().complete(retry, 'DELETE_TRIGGER', { further: [retryOf(retry, NOW, 0)] });
    await driver().apply({ type: 'storeTrigger', trigger: due('c', 9), ifExists: 'fail', startTimeDefaulted: false });
    const [c] = await driver().fireDue({ maxCount: 1 });
    expect(c?.trigger.key.name).toBe('c');
    expect(await driver().fireDue()).toEqual([]); // the retry waits
    await end(driver(), c as TriggerFiring);
    expect(occurrenceOf(await driver().fireOne()).attempt).toBe(3);
  });

  it('combines with a limit: a firing meets both, or waits', async () => {
    const policy = { overlap: 'queueOne', concurrency: { key: 'mail', limit: 1 } } as const;
    await driver().schedule(job('other', { policy: { concurrency: policy.concurrency } }), due('other', 9));
    const other = await driver().fireOne();
    await driver().schedule(job('job', { policy }), due('a', 3), due('b', 2));
    expect(await fired(driver())).toEqual([]);
    expect([await driver().state('a'), await driver().state('b')]).toEqual(['BLOCKED', 'BLOCKED']);
    await end(driver(), other);
    const [a] = await running(driver());
    expect(a?.trigger.key.name).toBe('a');
    expect(await running(driver())).toEqual([]);
    await end(driver(), a as TriggerFiring);
    expect(namesOf(await running(driver()))).toEqual(['b']);
  });

  it('does not use a concurrency limit for a run that waits for another run of its job', async () => {
    const concurrency = { key: 'mail', limit: 1 };
    await driver().schedule(
      job('job', { policy: { overlap: 'queueOne' } }),
      due('a', 9),
      due('b', 8, { policy: { concurrency } }),
    );
    await driver().schedule(job('other', { policy: { concurrency } }), due('x', 7), due('y', 6));
    const runs = await running(driver());
    expect(namesOf(runs)).toEqual(['a', 'x']);
    expect(await running(driver())).toEqual([]);
    await end(driver(), runs[1] as TriggerFiring);
    expect(namesOf(await running(driver()))).toEqual(['y']);
  });
}
