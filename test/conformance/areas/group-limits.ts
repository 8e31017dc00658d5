import { jobKey } from '../../../src/domain/keys';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf } from '../store-driver';

/** Limits of concurrent runs of a job group: in the whole cluster, and on one node. */
export function describeGroupLimits(context: StoreContext): void {
  describe('the cluster-wide limit of a job group', () => describeCluster(context));
  describe('the limit of a job group on a node', () => describeNode(context));
}

/** A job of a group; the group `limited` has the limit 2 in the whole cluster. */
const jobOf = (group: string, name = 'job', fields = {}) => job(name, { key: jobKey(name, group), ...fields });

/** A trigger that became due that many seconds ago. */
function due(name: string, secondsAgo: number, fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return once(name, { startTime: NOW - secondsAgo * SECOND, ...fields });
}

function describeCluster({ driver }: StoreContext): void {
  it('counts all jobs of the group together, and no other job', async () => {
    await driver().schedule(jobOf('limited', 'a'), due('a1', 9), due('a2', 7));
    await driver().schedule(jobOf('limited', 'b'), due('b1', 8), due('b2', 6));
    await driver().schedule(jobOf('free'), due('free', 1));
    expect(namesOf(await driver().fireDue())).toEqual(['a1', 'b1', 'free']);
    expect(namesOf(await driver().fireDue())).toEqual([]);
    expect([await driver().state('a2'), await driver().state('b2')]).toEqual(['BLOCKED', 'BLOCKED']);
  });

  it('releases the trigger that has waited longest when a run ends', async () => {
    await driver().schedule(jobOf('limited'), ...[9, 8, 7, 6].map((ago) => due(`t${ago}`, ago)));
    const [first] = await driver().fireDue();
    await driver().fireDue();
    if (first !== undefined) await driver().complete(first, 'DELETE_TRIGGER');
    expect(namesOf(await driver().fireDue())).toEqual(['t7']);
    expect(namesOf(await driver().fireDue())).toEqual([]);
  });

  it('combines with a limit of the job: a trigger that waits for one limit does not use the other', async () => {
    const policy = { concurrency: { key: 'mail', limit: 1 } };
    await driver().schedule(jobOf('limited', 'mail', { policy }), due('m1', 9), due('m2', 8));
    await driver().schedule(jobOf('limited', 'other'), due('o1', 7), due('o2', 6));
    const [mail] = await driver().fireDue();
    expect(await driver().fireDue()).toEqual([]);
    expect([await driver().state('m2'), await driver().state('o2')]).toEqual(['BLOCKED', 'BLOCKED']);
    if (mail !== undefined) await driver().complete(mail, 'DELETE_TRIGGER');
    expect(namesOf(await driver().fireDue())).toEqual(['m2']);
  });

  it('is checked again when a reservation fires', async () => {
    await driver().schedule(jobOf('limited'), ...[1, 2, 3].map((ahead) => due(`t${ahead}`, -ahead)));
    const acquired = await driver().acquire({ noLaterThan: NOW + MINUTE, timeWindow: MINUTE });
    driver().now = NOW + 3 * SECOND;
    const results = await driver().fire(...acquired);
    expect(results.map(({ status }) => status)).toEqual(['fired', 'fired', 'notFired']);
    expect(await driver().state('t3')).toBe('BLOCKED');
  });

  it('is never exceeded by triggers that fire when they are stored', async () => {
    const detail = jobOf('limited');
    const { fired } = await driver().store.applySchedule(
      [
        { type: 'storeJob', job: detail, ifExists: 'fail', requireTrigger: false },
        ...['a', 'b', 'c'].map((name) => ({
          type: 'storeTrigger' as const,
          ifExists: 'fail' as const,
          startTimeDefaulted: false,
          trigger: once(name, { jobKey: detail.key }),
        })),
      ],
      { ...driver().options, fireNow: { maxCount: 10, jobTypes: ['sample'] } },
    );
    expect(fired).toEqual([]);
    expect(namesOf(await driver().fireDue())).toEqual(['a', 'b']);
  });
}

function describeNode({ driver }: StoreContext): void {
  it('is the remaining capacity: further triggers stay WAITING and do not delay other groups', async () => {
    await driver().schedule(jobOf('reports'), ...[9, 8, 7, 6, 5, 4].map((ago) => due(`r${ago}`, ago)));
    await driver().schedule(jobOf('free'), due('f2', 2), due('f1', 1));
    expect(namesOf(await driver().fireDue({ maxCount: 2, groupCapacity: { reports: 1 } }))).toEqual(['r9', 'f2']);
    expect(await driver().state('r8')).toBe('WAITING');
    expect(namesOf(await driver().fireDue({ maxCount: 2, groupCapacity: { reports: 0 } }))).toEqual(['f1']);
    expect(namesOf(await driver().fireDue({ maxCount: 2, groupCapacity: { reports: 2 } }))).toEqual(['r8', 'r7']);
    expect(namesOf(await driver().fireDue())).toEqual(['r6', 'r5', 'r4']);
  });

  it('also applies to reservations', async () => {
    await driver().schedule(jobOf('reports'), due('r1', -1), due('r2', -2));
    await driver().schedule(jobOf('free'), due('f', -3));
    const ahead = { noLaterThan: NOW + MINUTE, timeWindow: MINUTE };
    expect(namesOf(await driver().acquire({ ...ahead, groupCapacity: { reports: 1 } }))).toEqual(['r1', 'f']);
    expect(await driver().state('r2')).toBe('WAITING');
  });

  it('applies to each group separately', async () => {
    for (const group of ['a', 'b', 'c'])
      await driver().schedule(jobOf(group), ...[3, 2, 1].map((ago) => due(`${group}${ago}`, ago)));
    const fired = await driver().fireDue({ groupCapacity: { a: 1, b: 0 } });
    expect(namesOf(fired)).toEqual(['a3', 'c3', 'c2', 'c1']);
    expect(namesOf(await driver().fireDue({ groupCapacity: { a: 0, b: 2 } }))).toEqual(['b3', 'b2']);
  });

  it('is not used by triggers that wait for another limit', async () => {
    const policy = { concurrency: { key: 'mail', limit: 1 } };
    await driver().schedule(jobOf('reports', 'mail', { policy }), due('m1', 9), due('m2', 8));
    await driver().schedule(jobOf('reports', 'other'), due('o1', 7), due('o2', 6));
    expect(namesOf(await driver().fireDue({ groupCapacity: { reports: 2 } }))).toEqual(['m1', 'o1']);
    expect([await driver().state('m2'), await driver().state('o2')]).toEqual(['BLOCKED', 'WAITING']);
  });

  it('does not hide triggers that are scheduled or resumed among skipped ones', async () => {
    await driver().schedule(jobOf('reports'), ...[9, 8, 7, 6, 5].map((ago) => due(`r${ago}`, ago)));
    const full = { groupCapacity: { reports: 0 } };
    expect(await driver().fireDue(full)).toEqual([]);
    await driver().schedule(jobOf('free'), due('early', 8), due('late', 1));
    expect(namesOf(await driver().fireDue(full))).toEqual(['early', 'late']);
    expect(await driver().fireDue(full)).toEqual([]);
    await driver().schedule(jobOf('free', 'paused'), due('paused', 7));
    await driver().store.pauseJobs([jobKey('paused', 'free')]);
    expect(await driver().fireDue(full)).toEqual([]);
    await driver().store.resumeJobs([jobKey('paused', 'free')], driver().options);
    expect(namesOf(await driver().fireDue(full))).toEqual(['paused']);
    expect(namesOf(await driver().fireDue())).toEqual(['r9', 'r8', 'r7', 'r6', 'r5']);
  });

  it('does not affect misfires and completions of non-concurrent jobs', async () => {
    const serial = { disallowConcurrentExecution: true };
    await driver().schedule(jobOf('reports', 'serial', serial), due('s1', 9), due('s2', 8));
    const full = { groupCapacity: { reports: 0 } };
    expect(await driver().fireDue(full)).toEqual([]);
    const [s1] = await driver().fireDue({ groupCapacity: { reports: 2 } });
    expect(s1?.trigger.key.name).toBe('s1');
    if (s1 !== undefined) await driver().complete(s1, 'DELETE_TRIGGER');
    expect(await driver().fireDue(full)).toEqual([]);
    driver().now = NOW + 2 * MINUTE;
    expect(await driver().fireDue(full)).toEqual([]);
    expect((await driver().recoverMisfires()).misfired.map(({ key }) => key.name)).toEqual(['s2']);
    expect(namesOf(await driver().fireDue({ groupCapacity: { reports: 1 } }))).toEqual(['s2']);
  });

  it('is never exceeded by triggers that fire when they are stored', async () => {
    const detail = jobOf('reports');
    const trigger = once('prompt', { jobKey: detail.key });
    const { fired } = await driver().store.applySchedule(
      [
        { type: 'storeJob', job: detail, ifExists: 'fail', requireTrigger: false },
        { type: 'storeTrigger', ifExists: 'fail', startTimeDefaulted: false, trigger },
      ],
      { ...driver().options, fireNow: { maxCount: 10, jobTypes: ['sample'], exceptGroups: ['reports'] } },
    );
    expect(fired).toEqual([]);
    expect(namesOf(await driver().fireDue({ groupCapacity: { reports: 1 } }))).toEqual(['prompt']);
  });
}
