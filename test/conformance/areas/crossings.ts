import { recoveryOfAbandonedRun } from '../../../src/domain/abandoned-run';
import { deadlineOf, type Refusal, refuse } from '../../../src/domain/admission';
import type { ExecutionPolicy } from '../../../src/domain/execution-policy';
import type { TriggerFiring } from '../../../src/domain/firing';
import type { JobDetail } from '../../../src/domain/job-detail';
import { triggerKey } from '../../../src/domain/keys';
import {
  deferredData,
  deferredTriggerKey,
  occurrenceData,
  occurrenceOf,
  RETRYING_JOBS,
} from '../../../src/domain/occurrence';
import { RECOVERING_JOBS } from '../../../src/domain/recovery';
import { rerunTrigger } from '../../../src/domain/retry';
import { NO_RETRY } from '../../../src/domain/retry-policy';
import { oneShotTrigger, type SimpleTrigger } from '../../../src/domain/trigger';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, HOUR, job, MINUTE, NOW, once, ran, SECOND, without } from '../samples';
import { namesOf, type StoreDriver, storing } from '../store-driver';
import { after } from './chains';
import { retryOf } from './retries';
import { endPart, takeApart } from './shards';

/** Combinations of two policies: the pairs of `test/crossings/table.ts` that no other area tests. */
export function describeCrossings(context: StoreContext): void {
  describe('combined policies', () => {
    describeFurtherRuns(context);
    describeJitter(context);
    describeParts(context);
    describeOthers(context);
  });
}

const ORIGIN = triggerKey('trigger');
const BACKFILL = 'BACKFILL_1';

/** Runs of an occurrence after its first one, each with the group of its trigger. */
const KINDS = [
  { kind: 'retry', group: RETRYING_JOBS },
  { kind: 'recovery', group: RECOVERING_JOBS },
  { kind: 'rerun', group: RETRYING_JOBS },
  { kind: 'backfill', group: BACKFILL },
] as const;
type Kind = (typeof KINDS)[number]['kind'];

interface Ruled {
  readonly ofJob?: ExecutionPolicy;
  readonly ofTrigger?: ExecutionPolicy;
  readonly fields?: Partial<JobDetail>;
  /** Called before the further run is stored. */
  readonly before?: () => Promise<unknown>;
}

/** Runs a trigger once, and stores a further run of the kind, due a second later. */
async function storeFurther(
  driver: StoreDriver,
  kind: Kind,
  { ofJob, ofTrigger, fields, before }: Ruled,
): Promise<void> {
  const detail = job('job', { ...fields, durable: true, requestsRecovery: true, ...(ofJob && { policy: ofJob }) });
  await driver.schedule(detail, everyMinute('trigger', ofTrigger && { policy: ofTrigger }));
  const firing = await driver.fireOne();
  driver.now = Math.max(driver.now, firing.fireTime);
  const dead = ran('dead', { occurrenceId: firing.runId, outcome: 'failed', isDeadLetter: true, endTime: driver.now });
  const further: Record<Kind, readonly (SimpleTrigger | null)[]> = {
    retry: [retryOf(firing, driver.now, SECOND)],
    recovery: [recoveryOfAbandonedRun(firing, 3)],
    rerun: [],
    backfill: [],
  };
  await before?.();
  await driver.complete(firing, 'NOOP', { further: further[kind].filter((each) => each !== null), run: dead });
  if (kind === 'rerun') {
    const rerun = rerunTrigger(dead, NO_RETRY, driver.now);
    const resolution = { endTime: dead.endTime, runId: dead.runId, rerun };
    expect(await driver.store.resolveFailedRuns([resolution])).toEqual([true]);
  }
  if (kind === 'backfill') {
    const data = occurrenceData({ id: null, triggerKey: ORIGIN, scheduledTime: NOW - DAY, attempt: 1 });
    const policy = ofTrigger === undefined ? {} : { policy: ofTrigger };
    await driver.apply(
      storing(
        once('', {
          key: { group: BACKFILL, name: '1' },
          data,
          startTime: driver.now,
          misfireInstruction: 'IGNORE_MISFIRE_POLICY',
          ...policy,
        }),
      ),
    );
  }
}

const groupsOf = (firings: readonly TriggerFiring[]) => firings.map(({ trigger }) => trigger.key.group);

/** Fires the further run alone: the trigger fires on the full minute. */
async function fireFurther(driver: StoreDriver, kind: Kind, ruled: Ruled): Promise<TriggerFiring> {
  await storeFurther(driver, kind, ruled);
  driver.now += SECOND;
  return driver.fireOne();
}

/** Completes a firing that must run later. Returns the trigger of the later run. */
async function putOff(driver: StoreDriver, firing: TriggerFiring, reason: string): Promise<SimpleTrigger> {
  const refusal: Refusal | null = refuse(firing);
  expect(refusal).toMatchObject({ status: 'defer', reason });
  const further = refusal?.status === 'defer' ? refusal.further : [];
  const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
  await driver.complete(firing, instruction, { further });
  return further[0] as SimpleTrigger;
}

function describeFurtherRuns({ driver }: StoreContext): void {
  it.each(KINDS)('startWithin: a late $kind is not skipped', async ({ kind, group }) => {
    await storeFurther(driver(), kind, { ofJob: { startWithin: SECOND } });
    driver().now += HOUR;
    const further = (await driver().fireDue()).find(({ trigger }) => trigger.key.group === group);
    expect(refuse(further as TriggerFiring)).toBeNull();
  });

  it.each(KINDS)('jitter: a $kind is not delayed', async ({ kind, group }) => {
    const further = await fireFurther(driver(), kind, { ofTrigger: { jitter: HOUR } });
    expect(further.trigger).toMatchObject({ key: { group }, ...(kind !== 'rerun' && { policy: { jitter: HOUR } }) });
    expect(refuse(further)).toBeNull();
  });

  it.each(KINDS)('rate: a $kind is deferred to its turn, and keeps its kind', async ({ kind, group }) => {
    const rate = { key: 'api', limit: 1, per: HOUR, burst: 1 } as const;
    const further = await fireFurther(driver(), kind, { ofJob: { rate } });
    expect((await putOff(driver(), further, 'rate')).key.group).toBe(group);
  });

  const rules = [
    { what: 'overlap', rule: { ofJob: { overlap: 'skip' } } },
    { what: 'concurrency', rule: { ofJob: { concurrency: { key: 'mail', limit: 1 } } } },
    { what: 'disallowConcurrentExecution', rule: { fields: { disallowConcurrentExecution: true } } },
  ] as const;
  const meetings = rules.flatMap((each) => KINDS.map((kind) => ({ ...each, ...kind })));

  it.each(meetings)('$what: a $kind waits for the run that it overlaps, and is not refused', async ({
    rule,
    kind,
    group,
  }) => {
    await storeFurther(driver(), kind, rule);
    // Due before the further run: on Java's tables the priority decides only among what is read.
    await driver().apply(storing(once('other', { startTime: driver().now - SECOND })));
    const running = await driver().fireOne();
    expect(running.trigger.key.name).toBe('other');
    driver().now += SECOND;
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(running, 'DELETE_TRIGGER');
    const further = await driver().fireOne();
    expect([further.trigger.key.group, refuse(further)]).toEqual([group, null]);
  });

  it.each([
    { kind: 'retry', from: 'the scheduled time', time: () => NOW },
    { kind: 'recovery', from: 'the scheduled time', time: () => NOW },
    { kind: 'rerun', from: 'the time of the rerun', time: (run: TriggerFiring) => run.trigger.startTime },
    { kind: 'backfill', from: 'its fire time', time: (run: TriggerFiring) => run.scheduledFireTime },
  ] as const)('timeout: the deadline of a $kind counts from $from', async ({ kind, time }) => {
    const further = await fireFurther(driver(), kind, { ofJob: { timeout: { deadline: HOUR, grace: SECOND } } });
    expect(deadlineOf(further)).toBe(time(further) + HOUR);
    expect(refuse({ ...further, fireTime: time(further) + HOUR })).toMatchObject({ reason: 'deadline' });
  });

  it.each([
    ['retry', 'PAUSED'],
    ['recovery', 'PAUSED'],
    ['rerun', 'WAITING'],
    ['backfill', 'WAITING'],
  ] as const)('pause: while its trigger is paused, a new %s is stored as %s', async (kind, state) => {
    await storeFurther(driver(), kind, { before: () => driver().store.pauseTriggers([ORIGIN]) });
    const { items } = await allTriggers(driver().store);
    const further = items.filter(({ trigger }) => trigger.key.name !== 'trigger');
    expect(further.map((each) => each.state)).toEqual([state]);
  });

  it('calendar and endAt: a retry waits for an included day, and can start after the end of its trigger', async () => {
    const calendar = { type: 'storeCalendar', name: 'c', calendar: without('2026-01-02'), ifExists: 'fail' } as const;
    await driver().apply({ ...calendar, updateTriggers: false });
    await driver().scheduleAll(everyMinute('trigger', { calendarName: 'c', endTime: NOW + MINUTE }));
    const firing = await driver().fireOne();
    await driver().complete(firing, 'NOOP', { further: [retryOf(firing, NOW, DAY)] });
    driver().now = NOW + DAY;
    expect(await driver().fireDue()).toEqual([]);
    driver().now = Date.UTC(2026, 0, 3);
    expect(groupsOf(await driver().fireDue())).toEqual([RETRYING_JOBS]);
  });
}

function describeJitter({ driver }: StoreContext): void {
  const rules: ExecutionPolicy = {
    startWithin: SECOND,
    timeout: { deadline: 2 * HOUR, grace: SECOND },
    spread: { shards: 2 },
  };

  it('jitter: startWithin and spread use the delayed time, but timeout uses the scheduled time', async () => {
    await driver().schedule(job('job', { policy: rules }), once('trigger', { policy: { jitter: HOUR } }));
    const { startTime } = await putOff(driver(), await driver().fireOne(), 'jitter');
    driver().now = startTime;
    const run = await driver().fireOne();
    expect(refuse(run)).toMatchObject({ status: 'defer', reason: 'spread' });
    expect(refuse({ ...run, fireTime: startTime + 2 * SECOND })).toMatchObject({ status: 'skip', reason: 'late' });
    expect(deadlineOf(run)).toBe(NOW + 2 * HOUR);
  });

  it.each([
    'jitter',
    'rate',
    'overlap',
  ] as const)('pause: a run that %s has deferred is held by a pause of its trigger', async (rule) => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    const of = { jobKey: job().key, data: deferredData(firing, rule), priority: 5 };
    const key = deferredTriggerKey(firing.runId);
    await driver().complete(firing, 'NOOP', { further: [oneShotTrigger(key, NOW + HOUR, of, undefined)] });
    await driver().store.pauseTriggers([ORIGIN]);
    expect(await driver().state(key)).toBe('PAUSED');
    await driver().store.resumeTriggers([ORIGIN], driver().options);
    expect(await driver().state(key)).toBe('WAITING');
  });
}

function describeParts({ driver }: StoreContext): void {
  /** Divides the one due trigger into parts. */
  const spreadOne = async (detail: Partial<JobDetail>, nodes: readonly string[] = []) => {
    await driver().schedule(job('job', { durable: true, ...detail }), once('trigger', { startTime: NOW }));
    const firing = await driver().fireOne();
    driver().now = Math.max(driver().now, firing.fireTime); // reading took its time
    const completion = takeApart(firing, nodes);
    await driver().store.completeTriggers([completion]);
    return completion;
  };
  const spread = { shards: 2 } as const;

  it('spread: parts are never late, and have the deadline of their occurrence', async () => {
    await spreadOne({ policy: { spread, startWithin: SECOND, timeout: { deadline: HOUR, grace: SECOND } } });
    driver().now += MINUTE;
    const parts = await driver().fireDue();
    expect(parts.map((part) => [refuse(part), deadlineOf(part)])).toEqual(Array(2).fill([null, NOW + HOUR]));
    for (const part of parts) expect(refuse({ ...part, fireTime: NOW + HOUR })).toMatchObject({ reason: 'deadline' });
  });

  it('spread: parts count separately under a concurrency limit', async () => {
    await spreadOne({ policy: { spread, concurrency: { key: 'mail', limit: 1 } } });
    const [first, ...others] = await driver().fireDue();
    expect(others).toEqual([]);
    await driver().store.completeTriggers([endPart(driver(), first as TriggerFiring)]);
    expect(await driver().fireDue()).toHaveLength(1);
  });

  it('spread: parts of a non-concurrent job read the data that the previous part stored', async () => {
    const fields = { disallowConcurrentExecution: true, persistJobDataAfterExecution: true };
    await spreadOne({ ...fields, policy: { spread } });
    const first = await driver().fireOne();
    await driver().store.completeTriggers([{ ...endPart(driver(), first), jobData: { done: 1 } }]);
    expect((await driver().fireOne()).jobDetail.data).toEqual({ done: 1 });
  });

  it.each([
    ['succeeded', true],
    ['failed', false],
  ] as const)('spread: an occurrence meets mustSucceedWithin only if all its parts succeed: the last one %s', async (outcome, isMet) => {
    await spreadOne({ policy: { spread, mustSucceedWithin: HOUR } });
    const [first, last] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    driver().now += MINUTE;
    const successes = async () =>
      (await driver().store.listOverdue(NOW + DAY, 10)).map(({ lastSuccess }) => lastSuccess);
    await driver().store.completeTriggers([endPart(driver(), first)]);
    expect(await successes()).toEqual([null]);
    await driver().store.completeTriggers([endPart(driver(), last, outcome)]);
    expect(await successes()).toEqual([isMet ? driver().now : null]);
  });

  it('spread: broadcast parts run on their own nodes, whatever other nodes are preferred', async () => {
    const prefers = { labels: ['ssd'], fallbackAfter: HOUR };
    const { further = [] } = await spreadOne({ policy: { spread: 'broadcast', prefers } }, ['n1', 'n2']);
    expect(further.map(({ policy }) => policy)).toMatchObject([
      { runsOn: ['node:n1'], prefers: { labels: [] } },
      { runsOn: ['node:n2'], prefers: { labels: [] } },
    ]);
  });
}

function describeOthers({ driver }: StoreContext): void {
  it('overlap and disallowConcurrentExecution: the trigger waits, so that overlap has nothing to decide', async () => {
    const serial = { disallowConcurrentExecution: true, policy: { overlap: 'skip' } } as const;
    await driver().schedule(job('job', serial), everyMinute());
    const first = await driver().fireOne();
    driver().now += MINUTE;
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(first);
    expect(refuse(await driver().fireOne())).toBeNull();
  });

  it('startWithin and concurrency: a run that has waited too long for the limit is skipped', async () => {
    const policy = { startWithin: SECOND, concurrency: { key: 'mail', limit: 1 } };
    await driver().schedule(job('job', { policy }), once('a'), once('b'));
    const [first] = await driver().fireDue();
    driver().now += MINUTE / 2;
    await driver().complete(first as TriggerFiring, 'DELETE_TRIGGER');
    expect(refuse(await driver().fireOne())).toMatchObject({ status: 'skip', reason: 'late' });
  });

  it('timeout and misfire: the deadline of a misfired trigger that fires now counts from now', async () => {
    const policy = { timeout: { deadline: HOUR, grace: SECOND } };
    await driver().schedule(job('job', { policy }), once('trigger', { misfireInstruction: 'FIRE_NOW' }));
    driver().now += 2 * HOUR;
    await driver().recoverMisfires();
    const firing = await driver().fireOne();
    expect([refuse(firing), deadlineOf(firing)]).toEqual([null, driver().now + HOUR]);
  });

  it('overlap and after: a chained run follows the overlap policy like a first run', async () => {
    const durable = { durable: true } as const;
    await driver().schedule(
      job('load', { ...durable, policy: { overlap: 'skip' } }),
      everyMinute('load'),
      after('chain', ['job']),
    );
    await driver().schedule(job('job', durable), once('trigger'));
    const fired = await driver().fireDue();
    const parent = fired.find(({ trigger }) => trigger.key.name === 'trigger') as TriggerFiring;
    expect([...namesOf(fired)].sort()).toEqual(['load', 'trigger']);
    const end = {
      occurrence: occurrenceOf(parent),
      outcome: 'succeeded',
      isFinal: true,
      endTime: driver().now,
    } as const;
    await driver().complete(parent, 'DELETE_TRIGGER', { end });
    expect(refuse(await driver().fireOne())).toMatchObject({ status: 'skip', reason: 'overlap' });
  });
}
