import { systemRandom } from '../../../src/base/ids';
import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { occurrenceOf, RETRYING_JOBS } from '../../../src/domain/occurrence';
import { planRetry, retryTriggerKey } from '../../../src/domain/retry';
import { parseRetryPolicy, type RetryOptions } from '../../../src/domain/retry-policy';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import { allJobs, allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once, ran, SECOND } from '../samples';
import { namesOf, type StoreDriver, storing } from '../store-driver';

/** Next attempts of failed runs: one trigger each, stored with the completion; and their policies. */
export function describeRetries(context: StoreContext): void {
  describe('retries', () => {
    describeStoring(context);
    describeRefusals(context);
    describeKeeping(context);
    describeWaiting(context);
    describePolicies(context);
  });
}

/** The trigger of the next attempt after `delay` milliseconds. */
export function retryOf(firing: TriggerFiring, now: number, delay = 10 * SECOND): SimpleTrigger {
  const decision = planRetry({
    firing,
    occurrence: occurrenceOf(firing),
    policy: parseRetryPolicy({ max: 1_000, delay }, 'the job'),
    delay: null,
    now,
    random: systemRandom,
  });
  if (decision.status === 'retry') return decision.trigger;
  throw new Error(`Expected a retry, found ${decision.status}.`);
}

const keyOf = ({ runId }: TriggerFiring) => retryTriggerKey(runId);

/** Completes a firing as failed, with a retry. */
function fail(driver: StoreDriver, firing: TriggerFiring, delay?: number) {
  const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
  return driver.complete(firing, instruction, { further: [retryOf(firing, driver.now, delay)] });
}

function describeStoring({ driver }: StoreContext): void {
  it('fire at their time as the next attempt of the same occurrence, with the data of their trigger', async () => {
    await driver().scheduleAll(everyMinute('trigger', { data: { to: 'ops' }, priority: 9 }));
    const firing = await driver().fireOne();
    driver().announced = [];
    expect(await fail(driver(), firing)).toEqual({ status: 'completed', deletedTrigger: false, deletedJob: false });
    expect(driver().announced).toEqual([NOW + 10 * SECOND]);
    expect(await driver().state(keyOf(firing))).toBe('WAITING');
    driver().now += 10 * SECOND - 1;
    expect(await driver().fireDue()).toEqual([]);
    driver().now += 1;
    const again = await driver().fireOne({ maxCount: 100 });
    expect(again).toMatchObject({
      scheduledFireTime: driver().now,
      recovering: false,
      jobDetail: { key: jobKey('job') },
    });
    expect(again.trigger).toMatchObject({ key: keyOf(firing), priority: 9, nextFireTime: null, data: { to: 'ops' } });
    const { runId: id } = firing;
    expect(occurrenceOf(again)).toEqual({ id, triggerKey: triggerKey('trigger'), scheduledTime: NOW, attempt: 2 });
  });

  it('use the data of their trigger at the first run, and the data of their job at the retry', async () => {
    await driver().schedule(job('job', { data: { url: 'wrong' } }), everyMinute('trigger', { data: { to: 'ops' } }));
    await fail(driver(), await driver().fireOne());
    const [trigger, ifExists] = [everyMinute('trigger', { data: { to: 'others' } }), 'replace'] as const;
    await driver().apply(
      { type: 'storeTrigger', trigger, ifExists, startTimeDefaulted: false },
      { type: 'storeJob', job: job('job', { data: { url: 'right' } }), ifExists, requireTrigger: false },
    );
    driver().now += 10 * SECOND;
    const fired = await driver().fireDue();
    const again = fired.find(({ trigger: { key } }) => key.group === RETRYING_JOBS);
    expect([again?.trigger.data, again?.jobDetail.data]).toMatchObject([{ to: 'ops' }, { url: 'right' }]);
  });

  it('can be retried again, and each one replaces the one before', async () => {
    await driver().scheduleAll(everyMinute());
    let firing = await driver().fireOne();
    const { runId: id } = firing;
    for (let attempt = 2; attempt <= 4; attempt++) {
      const before = keyOf(firing);
      await fail(driver(), firing, SECOND);
      driver().now += SECOND;
      firing = await driver().fireOne({ maxCount: 100 });
      expect(firing.trigger.key).toEqual(before);
      expect(occurrenceOf(firing)).toEqual({ id, triggerKey: triggerKey('trigger'), scheduledTime: NOW, attempt });
    }
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({
      deletedTrigger: true,
      deletedJob: false,
    });
    expect(await allTriggers(driver().store)).toMatchObject({
      items: [{ trigger: { key: triggerKey('trigger') } }],
      total: 1,
    });
  });

  it('do not change the schedule of their trigger, which continues to fire', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    const before = await driver().find();
    await fail(driver(), firing, MINUTE);
    expect(await driver().find()).toEqual(before);
    driver().now += MINUTE;
    const both = await driver().fireDue();
    const live = both.find(({ trigger }) => trigger.key.name === 'trigger')?.runId;
    expect(both.map(occurrenceOf)).toEqual(
      expect.arrayContaining([
        { id: firing.runId, triggerKey: triggerKey('trigger'), scheduledTime: NOW, attempt: 2 },
        { id: live, triggerKey: triggerKey('trigger'), scheduledTime: NOW + MINUTE, attempt: 1 },
      ]),
    );
    expect((await driver().trigger()).nextFireTime).toBe(NOW + 2 * MINUTE);
  });

  it('are stored only for the firings of a batch that request one, with the failed runs', async () => {
    await driver().scheduleAll(once('a'), everyMinute('b'), everyMinute('c'));
    await driver().schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('d'));
    const firings = await driver().fireDue();
    const completions = firings.map((firing) => {
      const { name } = firing.trigger.key;
      const run = ran(name, { outcome: 'failed' });
      const more = name === 'b' ? {} : { further: [retryOf(firing, NOW)], run };
      return { firing, instruction: name === 'a' ? 'DELETE_TRIGGER' : 'NOOP', ...more } as const;
    });
    const outcomes = await driver().store.completeTriggers(completions);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    driver().now += 10 * SECOND;
    const again = await driver().fireDue();
    expect(again.map((firing) => occurrenceOf(firing).triggerKey.name).sort()).toEqual(['a', 'c', 'd']);
    const { items } = await driver().store.listRuns({ take: 10 });
    expect(items.map(({ runId }) => runId)).toEqual(['d', 'c', 'a']);
  });

  it('are stored with the job data that the failed run returned', async () => {
    await driver().schedule(
      job('job', { persistJobDataAfterExecution: true, disallowConcurrentExecution: true, data: { done: 0 } }),
      everyMinute(),
    );
    const firing = await driver().fireOne();
    await driver().complete(firing, 'NOOP', { jobData: { done: 3 }, further: [retryOf(firing, NOW, 0)] });
    expect(await driver().fireOne()).toMatchObject({
      trigger: { key: keyOf(firing) },
      jobDetail: { data: { done: 3 } },
    });
  });

  it('never misfire, however late they are', async () => {
    await driver().scheduleAll(everyMinute('later', { startTime: NOW + HOUR }), once());
    const firing = await driver().fireOne();
    await fail(driver(), firing);
    driver().now += 5 * MINUTE;
    expect((await driver().recoverMisfires()).misfired).toEqual([]);
    expect(namesOf(await driver().fireDue())).toEqual([keyOf(firing).name]);
  });
}

function describeRefusals({ driver }: StoreContext): void {
  it('are not stored by a fenced completion, and not twice', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().complete(firing);
    expect(await fail(driver(), firing)).toMatchObject({ status: 'fenced' });
    expect(await driver().find(keyOf(firing))).toBeNull();
    driver().now += MINUTE;
    const second = await driver().fireOne();
    await fail(driver(), second, 0);
    await driver().complete(await driver().fireOne(), 'DELETE_TRIGGER');
    expect(await fail(driver(), second, 0)).toMatchObject({ status: 'fenced' });
    expect(await driver().find(keyOf(second))).toBeNull();
  });

  it('are not stored again under an existing key', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().apply(storing(retryOf(firing, NOW, HOUR)));
    expect(await fail(driver(), firing, SECOND)).toMatchObject({ status: 'completed' });
    expect((await driver().trigger(keyOf(firing))).nextFireTime).toBe(NOW + HOUR);
  });

  it.each([
    false,
    true,
  ])('are not stored for a job that was deleted during the run, non-concurrent: %s', async (serial) => {
    await driver().schedule(job('job', { disallowConcurrentExecution: serial }), everyMinute());
    await driver().schedule(job('other'), everyMinute('other', { startTime: NOW + HOUR }));
    const firing = await driver().fireOne();
    await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
    const run = ran(firing.runId, { outcome: 'failed' });
    const retry = retryOf(firing, NOW);
    expect(await driver().complete(firing, 'NOOP', { further: [retry], run })).toMatchObject({
      status: 'completed',
      notStored: [retry.key],
    });
    expect(await driver().find(keyOf(firing))).toBeNull();
    expect((await driver().store.listRuns({ take: 10 })).items).toEqual([run]);
    expect((await allTriggers(driver().store)).total).toBe(1);
  });

  it('run a new job that was stored under the same key', async () => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
    await driver().schedule(job('job', { durable: true, data: { version: 2 } }));
    await fail(driver(), firing, 0);
    expect((await driver().fireOne()).jobDetail.data).toEqual({ version: 2 });
  });
}

function describeKeeping({ driver }: StoreContext): void {
  it.each([false, true])('keep a non-durable job until they have ended, non-concurrent: %s', async (serial) => {
    await driver().schedule(job('job', { disallowConcurrentExecution: serial }), once());
    const firing = await driver().fireOne();
    expect(await fail(driver(), firing)).toEqual({ status: 'completed', deletedTrigger: true, deletedJob: false });
    expect(await driver().find()).toBeNull();
    expect(await driver().job()).not.toBeNull();
    driver().now += 10 * SECOND;
    const second = await driver().fireOne();
    expect(await fail(driver(), second)).toEqual({ status: 'completed', deletedTrigger: true, deletedJob: false });
    expect(await driver().job()).not.toBeNull();
    driver().now += 10 * SECOND;
    const third = await driver().fireOne();
    expect(await driver().complete(third, 'DELETE_TRIGGER')).toEqual({
      status: 'completed',
      deletedTrigger: true,
      deletedJob: true,
    });
    expect(await driver().job()).toBeNull();
    expect((await allTriggers(driver().store)).total).toBe(0);
  });

  it('are deleted with their job', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await fail(driver(), firing);
    await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
    expect(await driver().find(keyOf(firing))).toBeNull();
  });

  it('are stored although their trigger was deleted during the failed run', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute());
    const firing = await driver().fireOne();
    await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('trigger') });
    await fail(driver(), firing, 0);
    expect(occurrenceOf(await driver().fireOne())).toMatchObject({ id: firing.runId, attempt: 2 });
  });

  it.each([
    { instruction: 'SET_ALL_JOB_TRIGGERS_COMPLETE', left: 'COMPLETE' },
    { instruction: 'SET_ALL_JOB_TRIGGERS_ERROR', left: 'ERROR' },
    { instruction: 'SET_TRIGGER_ERROR', left: 'ERROR' },
  ] as const)('are not affected by $instruction', async ({ instruction, left }) => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().complete(firing, instruction, { further: [retryOf(firing, NOW, 0)] });
    expect(await driver().state()).toBe(left);
    expect((await driver().fireOne()).trigger.key).toEqual(keyOf(firing));
  });
}

function describeWaiting({ driver }: StoreContext): void {
  it('wait for the run of their non-concurrent job to end, and block its other triggers', async () => {
    await driver().schedule(
      job('job', { disallowConcurrentExecution: true }),
      everyMinute('a', { priority: 9 }),
      everyMinute('b'),
    );
    const a = await driver().fireOne();
    expect(await driver().complete(a, 'NOOP', { further: [{ ...retryOf(a, NOW, 0), priority: 1 }] })).toMatchObject({
      status: 'completed',
    });
    const b = await driver().fireOne({ maxCount: 100 });
    expect(b.trigger.key.name).toBe('b');
    expect(await driver().state(keyOf(a))).toBe('BLOCKED');
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(b);
    expect(await driver().state(keyOf(a))).toBe('WAITING');
    const again = await driver().fireOne({ maxCount: 100 });
    expect(again.trigger.key).toEqual(keyOf(a));
    expect(await driver().state('a')).toBe('BLOCKED');
    driver().now += MINUTE;
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(again, 'DELETE_TRIGGER');
    expect(await driver().fireDue()).toHaveLength(1);
  });

  it('are blocked at once if their job is still executing', async () => {
    await driver().scheduleAll(everyMinute('a'), everyMinute('b'));
    const [a, b] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring];
    // Two executions began while the job allowed concurrency.
    const serial = job('job', { disallowConcurrentExecution: true });
    await driver().applyOne({ type: 'storeJob', job: serial, ifExists: 'replace', requireTrigger: false });
    await fail(driver(), a, 0);
    expect(await driver().state(keyOf(a))).toBe('BLOCKED');
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(b);
    expect(namesOf(await driver().fireDue())).toEqual([keyOf(a).name]);
  });

  it.each([
    ['their group', GroupMatcher.groupEquals(RETRYING_JOBS)],
    ['everything', GroupMatcher.anyGroup()],
  ])('start paused if %s is paused, and are resumed with it', async (_, matcher) => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    await driver().store.pauseTriggers(matcher);
    await fail(driver(), firing, 0);
    expect(await driver().state(keyOf(firing))).toBe('PAUSED');
    driver().now += SECOND;
    expect(await driver().fireDue()).toEqual([]);
    await driver().store.resumeTriggers(matcher, driver().options);
    expect(namesOf(await driver().fireDue())).toEqual([keyOf(firing).name]);
  });
}

function describePolicies({ driver }: StoreContext): void {
  const retry = (options: RetryOptions) => parseRetryPolicy(options, 'the job');
  const ofJob = { retry: retry('R5/PT5M'), history: 'all' } as const;
  const ofTrigger = { retry: retry({ max: 3, delay: '1s', factor: 2, jitter: 0.5, maxAge: '1h' }) } as const;
  const replaceJob = (fields: Parameters<typeof job>[1]) =>
    driver().applyOne({ type: 'storeJob', job: job('job', fields), ifExists: 'replace', requireTrigger: false });

  it('have policies that are stored with jobs and triggers, but not in their data', async () => {
    const [policied, plain] = [job('job', { policy: ofJob, data: { a: 1 } }), job('plain')];
    await driver().schedule(policied, everyMinute('trigger', { policy: ofTrigger, data: { b: 2 } }), once('bare'));
    await driver().schedule(plain, once('other', { policy: { history: 'failures' } }));
    expect(await driver().job()).toEqual(policied);
    expect(await driver().job('plain')).toEqual(plain);
    expect((await allJobs(driver().store)).items).toEqual([policied, plain]);
    expect(await driver().trigger()).toMatchObject({ policy: ofTrigger, data: { b: 2 } });
    expect(await driver().trigger('bare')).not.toHaveProperty('policy');
    expect(await driver().trigger('other')).toMatchObject({ policy: { history: 'failures' }, data: {} });
    const fired = await driver().fireDue();
    const policies = fired.map(({ trigger, jobDetail }) => [trigger.key.name, trigger.policy, jobDetail.policy]);
    expect(policies).toEqual(
      expect.arrayContaining([
        ['trigger', ofTrigger, ofJob],
        ['bare', undefined, ofJob],
        ['other', { history: 'failures' }, undefined],
      ]),
    );
    const { trigger, jobDetail } = fired.find((firing) => firing.trigger.key.name === 'trigger') as TriggerFiring;
    expect([trigger.data, jobDetail.data]).toEqual([{ b: 2 }, { a: 1 }]);
  });

  it('have policies that remain through firings and when the job stores its data', async () => {
    const data = { persistJobDataAfterExecution: true, disallowConcurrentExecution: true };
    await driver().schedule(job('job', { ...data, policy: ofJob }), everyMinute('trigger', { policy: ofTrigger }));
    await driver().complete(await driver().fireOne(), 'NOOP', { jobData: { count: 1 } });
    expect(await driver().job()).toMatchObject({ data: { count: 1 }, policy: ofJob });
    driver().now += MINUTE;
    const second = await driver().fireOne();
    expect(second).toMatchObject({ trigger: { policy: ofTrigger }, jobDetail: { data: { count: 1 }, policy: ofJob } });
    await driver().complete(second, 'NOOP', { jobData: {} });
    expect(await driver().job()).toMatchObject({ data: {}, policy: ofJob });
  });

  it('have policies that change when the job or trigger is stored again', async () => {
    await driver().schedule(
      job('job', { policy: ofJob, durable: true }),
      everyMinute('trigger', { policy: ofTrigger }),
    );
    await replaceJob({ durable: true, policy: { history: 'none' } });
    await driver().register({ ...everyMinute(), policy: { history: 'failures' } });
    expect((await driver().job())?.policy).toEqual({ history: 'none' });
    expect((await driver().trigger()).policy).toEqual({ history: 'failures' });
    await replaceJob({ durable: true });
    await driver().register(everyMinute());
    expect(await driver().job()).not.toHaveProperty('policy');
    expect(await driver().trigger()).not.toHaveProperty('policy');
  });

  it('use a policy that changed between two attempts', async () => {
    await driver().schedule(job('job', { policy: ofJob }), everyMinute('trigger', { policy: ofTrigger }));
    const firing = await driver().fireOne();
    await replaceJob({ policy: { history: 'none' } });
    await fail(driver(), firing, 0);
    expect(await driver().fireOne()).toMatchObject({
      trigger: { key: keyOf(firing), policy: ofTrigger },
      jobDetail: { policy: { history: 'none' } },
    });
  });
}
