import { type Refusal, refuse } from '../../../src/domain/admission';
import type { TriggerFiring } from '../../../src/domain/firing';
import type { TriggerKey } from '../../../src/domain/keys';
import { DEFERRED_JOBS, deferredTriggerKey, occurrenceOf, RETRYING_JOBS } from '../../../src/domain/occurrence';
import type { RateLimit } from '../../../src/domain/rate-limit';
import { spacingOf, windowOf } from '../../../src/domain/rate-state';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';
import { retryOf } from './retries';
import { indexOf, takeApart } from './shards';

/** Limits of how many firings of a key start within a time. */
export function describeRates(context: StoreContext): void {
  describe('rate limits', () => {
    describeTurns(context);
    describeLateness(context);
    describeFurtherRuns(context);
    describeOtherRules(context);
  });
}

const RULE = { limit: 6, per: MINUTE, burst: 1 } as const;
/** Time between two turns, in milliseconds, rounded up. */
const APART = Math.ceil(spacingOf(RULE) / 1_000);
/** Allowance for the time of reading, in stores that count it. */
const TOLERANCE = 5 * SECOND;

const rated = (rate: Partial<RateLimit> = {}, more: object = {}) => ({
  policy: { rate: { key: 'api', ...RULE, ...rate, per: MINUTE }, ...more },
});

function due(name: string, secondsAgo: number, fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return once(name, { startTime: NOW - secondsAgo * SECOND, ...fields });
}

type Met = readonly [name: string, what: Refusal['status'] | 'runs'];

const nameOf = (firing: TriggerFiring) => occurrenceOf(firing).triggerKey.name;

interface Meeting {
  readonly met: readonly Met[];
  readonly runs: readonly TriggerFiring[];
  /** Turns of the deferred firings. */
  readonly turns: readonly number[];
}

/** Fires due triggers, and completes refused firings like the engine. */
async function meet(driver: StoreDriver): Promise<Meeting> {
  const met: Met[] = [];
  const runs: TriggerFiring[] = [];
  const turns: number[] = [];
  for (const firing of await driver.fireDue()) {
    const refusal = refuse(firing);
    met.push([nameOf(firing), refusal?.status ?? 'runs']);
    if (refusal?.status === 'defer') turns.push(refusal.until ?? driver.now);
    if (refusal === null) runs.push(firing);
    else
      await driver.complete(firing, 'DELETE_TRIGGER', refusal.status === 'defer' ? { further: refusal.further } : {});
  }
  return { met, runs, turns };
}

/** Repeats `meet` until nothing is due. */
async function meetAll(driver: StoreDriver): Promise<Meeting> {
  const all: Meeting[] = [];
  for (;;) {
    const meeting = await meet(driver);
    all.push(meeting);
    if (meeting.met.length === 0) break;
  }
  return {
    met: all.flatMap(({ met }) => met),
    runs: all.flatMap(({ runs }) => runs),
    turns: all.flatMap(({ turns }) => turns),
  };
}

/** Returns the turn of a deferred firing. */
function turnOf(firing: TriggerFiring | undefined): number {
  const refusal = firing === undefined ? null : refuse(firing);
  if (refusal?.status !== 'defer' || refusal.until === undefined) throw new Error('Expected that it was put off.');
  expect(refusal.reason).toBe('rate');
  return refusal.until;
}

function describeTurns({ driver }: StoreContext): void {
  it('give the first firing its turn now and later ones the next turns, across jobs', async () => {
    await driver().schedule(job('a', rated()), due('a1', 5), due('a2', 3));
    await driver().schedule(job('b', rated()), due('b1', 4), due('b2', 2));
    const firings = await driver().fireDue();
    expect(firings.map(nameOf)).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(refuse(firings[0] as TriggerFiring)).toBeNull();
    const turns = firings.slice(1).map((each) => turnOf(each) - (NOW - 5 * SECOND));
    for (const [index, turn] of turns.entries()) expect(Math.abs(turn - (index + 1) * APART)).toBeLessThanOrEqual(2);
  });

  it('let as many firings start at once as the burst', async () => {
    await driver().schedule(job('a', rated({ burst: 3 })), ...[9, 8, 7, 6].map((ago) => due(`a${ago}`, ago)));
    expect((await meet(driver())).met.map(([, what]) => what)).toEqual(['runs', 'runs', 'runs', 'defer']);
  });

  it('keep the turn of a deferred firing, which then runs without another check', async () => {
    await driver().schedule(job('a', rated()), due('a', 2), due('b', 1, { data: { to: 'ops' }, priority: 9 }));
    const [a, b] = await driver().fireDue();
    const turn = turnOf(b);
    await driver().complete(b as TriggerFiring, 'DELETE_TRIGGER', { further: furtherOf(b) });
    await driver().complete(a as TriggerFiring, 'DELETE_TRIGGER');
    await driver().schedule(job('c', rated()), once('c'));
    expect((await meet(driver())).met).toEqual([['c', 'defer']]);
    const key = deferredTriggerKey((b as TriggerFiring).runId);
    expect((await driver().trigger(key)).nextFireTime).toBe(turn);
    driver().now = turn - 1;
    expect(await driver().fireDue()).toEqual([]);
    driver().now = turn;
    const again = await driver().fireOne();
    expect(refuse(again)).toBeNull();
    expect(again.trigger).toMatchObject({ data: { to: 'ops' }, priority: 9 });
    expect(occurrenceOf(again)).toMatchObject({ scheduledTime: NOW - SECOND, attempt: 1 });
  });

  it('order a deferred firing at its turn by its original due time', async () => {
    await driver().schedule(job('a', rated()), due('a', 9), due('b', 5));
    const [turn] = (await meet(driver())).turns as [number];
    await driver().schedule(
      job('busy', { durable: true }),
      due('before', 7),
      due('after', 3),
      once('later', { startTime: turn - 1 }),
    );
    driver().now = turn - 1;
    expect(nameOf(await driver().fireOne())).toBe('before');
    await driver().schedule(job('busy too'), due('before too', 6));
    driver().now = turn;
    const order: string[] = [];
    for (let count = 0; count < 4; count++) order.push(nameOf(await driver().fireOne()));
    expect(order).toEqual(['before too', 'b', 'after', 'later']);
  });

  it('read their key from data, or use a separate key for each job', async () => {
    const rate = { key: 'api-{data.host}', ...RULE };
    await driver().schedule(
      job('a', { data: { host: 1 }, policy: { rate } }),
      due('a1', 9),
      due('a2', 8),
      due('a3', 7, { data: { host: 2 } }),
    );
    const alone = { key: 'job {job.group}/{job.name}', ...RULE };
    await driver().schedule(job('b', { policy: { rate: alone } }), due('b1', 6));
    await driver().schedule(job('c', { policy: { rate: alone } }), due('c1', 5), due('c2', 4));
    expect((await meet(driver())).met).toEqual([
      ['a1', 'runs'],
      ['a2', 'defer'],
      ['a3', 'runs'],
      ['b1', 'runs'],
      ['c1', 'runs'],
      ['c2', 'defer'],
    ]);
  });

  it('apply when a reservation fires', async () => {
    await driver().schedule(job('a', rated()), due('a', -1), due('b', -2));
    const acquired = await driver().acquire({ noLaterThan: NOW + MINUTE, timeWindow: MINUTE });
    driver().now = NOW + 3 * SECOND;
    const results = await driver().fire(...acquired);
    const firings = results.flatMap((each) => (each.status === 'fired' ? [each.firing] : []));
    expect(firings.map((each) => refuse(each)?.status ?? 'runs')).toEqual(['runs', 'defer']);
  });

  it('let a waiting firing be reserved although the batch finds an earlier turn for it', async () => {
    await driver().schedule(job('a', rated()), due('runs', 9), due('deleted', 8), due('waits', 7));
    await driver().schedule(job('b', rated()), due('asks', 1));
    const firings = await driver().fireDue();
    expect(firings.map(nameOf)).toEqual(['runs', 'deleted', 'waits', 'asks']);
    for (const each of firings) await driver().complete(each, 'DELETE_TRIGGER', { further: furtherOf(each) });
    const [deleted, waits] = firings.slice(1).map(({ runId }) => deferredTriggerKey(runId));
    const turn = turnOf(firings[2]);
    await driver().apply(
      { type: 'deleteTrigger', key: deleted as TriggerKey },
      { type: 'storeJob', job: job('b', rated({ limit: 5 })), ifExists: 'replace', requireTrigger: false },
    );
    const reserved = await driver().acquire({ noLaterThan: NOW + HOUR, timeWindow: HOUR });
    expect(reserved.map(({ trigger }) => [trigger.key, trigger.nextFireTime])).toContainEqual([waits, turn]);
  });

  it.each([
    false,
    true,
  ])('assign new turns when the rate is raised, even if waiting firings are deleted: %s', async (isDeleted) => {
    const rare = { policy: { rate: { key: 'api', limit: 1, per: HOUR, burst: 1 } } };
    await driver().schedule(job('a', rare), due('x', 3), due('y', 2), due('z', 1));
    const firings = await driver().fireDue();
    for (const each of firings) await driver().complete(each, 'DELETE_TRIGGER', { further: furtherOf(each) });
    if (isDeleted) {
      const keys = firings.slice(1).map(({ runId }) => deferredTriggerKey(runId));
      await driver().apply(...keys.map((key) => ({ type: 'deleteTrigger', key }) as const));
      await driver().schedule(job('b', rated({ limit: 60 })), due('y', 0), due('z', 0));
    }
    const raised = job('a', rated({ limit: 60 }));
    await driver().apply({ type: 'storeJob', job: raised, ifExists: 'replace', requireTrigger: false });
    driver().now += 5 * SECOND;
    const { runs, met, turns } = await meetAll(driver());
    expect({ runs: runs.map(nameOf), met, turns }).toMatchObject({ runs: ['y', 'z'] });
  });

  it('do not defer a firing that is due after the next turn', async () => {
    await driver().schedule(job('a', rated()), due('a', 1), once('b', { startTime: NOW + APART + TOLERANCE }));
    expect((await meet(driver())).met).toEqual([['a', 'runs']]);
    driver().now = NOW + APART + TOLERANCE;
    expect((await meet(driver())).met).toEqual([['b', 'runs']]);
  });
}

function furtherOf(firing: TriggerFiring | undefined): readonly SimpleTrigger[] {
  const refusal = firing === undefined ? null : refuse(firing);
  return refusal?.status === 'defer' ? refusal.further : [];
}

function describeLateness({ driver }: StoreContext): void {
  it('start overdue firings at once, in their order, up to the limit within the period', async () => {
    const ago = [9, 8, 7, 6, 5, 4, 3, 2, 1];
    await driver().schedule(job('a', rated()), ...ago.map((each) => due(`a${each}`, each)));
    const { met } = await meet(driver());
    expect(met.map(([, what]) => what)).toEqual(['runs', ...Array(8).fill('defer')]);
    driver().now = NOW + HOUR;
    const { met: late, runs } = await meetAll(driver());
    expect(late.map(([name]) => name)).toEqual(['a8', 'a7', 'a6', 'a5', 'a4', 'a3']);
    const begun = runs.map(({ fireTime }) => fireTime);
    driver().now = (begun[0] as number) + windowOf(RULE) - 1;
    expect((await meetAll(driver())).met).toEqual([]);
    driver().now = (begun[5] as number) + windowOf(RULE) + 1;
    expect((await meetAll(driver())).met).toEqual([['a2', 'runs']]);
    driver().now += APART;
    expect((await meetAll(driver())).met).toEqual([['a1', 'runs']]);
  });

  it('keep the order although an earlier firing gets a later turn', async () => {
    await driver().schedule(
      job('a', rated({ burst: 6 })),
      ...Array.from({ length: 9 }, (_, at) => due(`a${at}`, 9 - at)),
    );
    expect((await meet(driver())).runs).toHaveLength(6);
    // No capacity yet when the first one is due: it moves behind the other two, but still starts before them.
    const order: string[] = [];
    for (let turn = 0; turn < 12 && order.length < 3; turn++) {
      driver().now += windowOf(RULE) / 4;
      order.push(...(await meetAll(driver())).met.map(([name]) => name));
    }
    expect(order).toEqual(['a6', 'a7', 'a8']);
  });

  it.each([
    ['startWithin', { startWithin: APART - TOLERANCE }, 'rate'],
    ['a deadline', { timeout: { grace: 0, deadline: APART - TOLERANCE } }, 'deadline'],
  ])('skip a firing whose turn is later than %s allows, and give the turn to others', async (_, more, reason) => {
    await driver().schedule(job('a', rated()), due('first', 1));
    await driver().schedule(job('b', rated({}, more)), once('late'));
    await driver().schedule(job('c', rated()), once('patient', { priority: 1 }));
    const firings = await driver().fireDue();
    expect(firings.map(nameOf)).toEqual(['first', 'late', 'patient']);
    const refusal = refuse(firings[1] as TriggerFiring);
    expect(refusal).toMatchObject({ status: 'skip', reason });
    expect(turnOf(firings[2]) - (firings[0] as TriggerFiring).fireTime).toBeLessThanOrEqual(APART + 2);
  });
}

function describeFurtherRuns({ driver }: StoreContext): void {
  it('count a retry, which remains a retry when it is deferred', async () => {
    await driver().schedule(job('a', rated({}, { startWithin: APART / 2, overlap: 'skip' })), due('a', 1));
    const [first] = (await meet(driver())).runs as [TriggerFiring];
    driver().now += SECOND;
    const retry = retryOf(first, driver().now, 0);
    await driver().complete(first, 'DELETE_TRIGGER', { further: [retry] });
    const again = await driver().fireOne();
    const turn = turnOf(again);
    await driver().complete(again, 'DELETE_TRIGGER', { further: furtherOf(again) });
    driver().now = turn;
    const second = await driver().fireOne();
    expect(second.trigger.key.group).toBe(RETRYING_JOBS);
    expect(occurrenceOf(second)).toMatchObject({ attempt: 2, triggerKey: first.trigger.key });
    expect(refuse(second)).toBeNull();
  });

  it('count each part of an occurrence, but not the divided firing', async () => {
    await driver().schedule(job('a', rated({}, { spread: { shards: 2 } })), due('a', 1));
    const firing = await driver().fireOne();
    await driver().store.completeTriggers([takeApart(firing)]);
    driver().now = Math.max(driver().now, firing.fireTime);
    const parts = await driver().fireDue();
    expect(parts.map((part) => refuse(part)?.status ?? 'runs').sort()).toEqual(['defer', 'runs']);
    const late = parts.find((part) => refuse(part) !== null) as TriggerFiring;
    await driver().complete(late, 'DELETE_TRIGGER', { further: furtherOf(late) });
    expect(await driver().state(deferredTriggerKey(late.runId))).toBe('WAITING');
    const sweep = { after: null, maxCount: 100, now: driver().now };
    expect((await driver().store.endOccurrences(sweep)).ended).toEqual([]);
    driver().now = turnOf(late);
    const again = await driver().fireOne();
    expect(indexOf(again)).toBe(indexOf(late));
    expect(refuse(again)).toBeNull();
  });
}

function describeOtherRules({ driver }: StoreContext): void {
  it('use no capacity of a concurrency limit before the turn, so that waiting triggers run', async () => {
    const concurrency = { key: 'mail', limit: 1 };
    await driver().schedule(job('free', { policy: { concurrency } }), due('free', 9), due('next', 1));
    await driver().schedule(job('a', rated()), due('first', 8));
    await driver().schedule(job('b', rated({}, { concurrency })), due('both', 7));
    const { met, runs } = await meet(driver());
    expect(met).toEqual([
      ['free', 'runs'],
      ['first', 'runs'],
    ]);
    await driver().complete(runs[0] as TriggerFiring, 'DELETE_TRIGGER');
    const turns = [await meet(driver()), await meet(driver())]; // a store may need a turn for each
    expect(turns.flatMap((turn) => turn.met)).toEqual([
      ['both', 'defer'],
      ['next', 'runs'],
    ]);
  });

  it('keep the position of a firing that waits for an earlier run of its job', async () => {
    await driver().schedule(job('a', rated({}, { overlap: { queueAll: 1 } })), due('a', 2), due('b', 1));
    const [a, b] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    expect(refuse(b)).toMatchObject({ status: 'defer', reason: 'overlap' });
    await driver().complete(b, 'DELETE_TRIGGER', { further: furtherOf(b) });
    await driver().complete(a, 'DELETE_TRIGGER');
    const again = await driver().fireOne();
    const turn = turnOf(again);
    await driver().complete(again, 'DELETE_TRIGGER', { further: furtherOf(again) });
    await driver().apply({
      type: 'storeTrigger',
      trigger: once('c', { jobKey: job('a').key }),
      ifExists: 'fail',
      startTimeDefaulted: false,
    });
    expect((await meet(driver())).met).toEqual([['c', 'skip']]);
    driver().now = turn;
    const last = await driver().fireOne();
    expect([nameOf(last), last.trigger.key.group, refuse(last)]).toEqual(['b', DEFERRED_JOBS, null]);
  });
}
