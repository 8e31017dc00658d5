import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../samples';
import { namesOf, storing, storingCalendar } from '../store-driver';

const storingJob = (detail = job(), requireTrigger = false): ScheduleChange => ({
  type: 'storeJob',
  job: detail,
  ifExists: 'fail',
  requireTrigger,
});

/** Change sets: storing, deleting, and atomicity. */
export function describeSchedule(context: StoreContext): void {
  describe('a change set', () => {
    describeStoring(context);
    describeDeleting(context);
    describeAtomicity(context);
  });
}

function describeStoring({ driver }: StoreContext): void {
  describe('for storing', () => {
    it('returns the created objects, and the first fire time of a trigger', async () => {
      const outcomes = await driver().apply(storingJob(), storing(once('trigger', { startTime: NOW + HOUR })));
      expect(outcomes.map(({ status, nextFireTime }) => [status, nextFireTime])).toEqual([
        ['created', null],
        ['created', NOW + HOUR],
      ]);
      expect(await driver().job()).toEqual(job());
      expect(await driver().trigger()).toMatchObject({ nextFireTime: NOW + HOUR, previousFireTime: null });
      expect(await driver().state()).toBe('WAITING');
    });

    it('refuses, keeps or replaces an existing object, as requested', async () => {
      await driver().scheduleAll(once());
      const changed = { ...job(), description: 'new' };
      await expect(driver().apply(storingJob(changed))).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
      await expect(driver().apply(storing(once()))).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });

      const storeJob = { type: 'storeJob', job: changed, requireTrigger: false } as const;
      expect((await driver().applyOne({ ...storeJob, ifExists: 'keep' })).status).toBe('kept');
      expect(await driver().job()).toEqual(job());
      expect((await driver().applyOne({ ...storeJob, ifExists: 'replace' })).status).toBe('replaced');
      expect(await driver().job()).toEqual(changed);
      expect((await driver().applyOne({ ...storeJob, ifExists: 'replace' })).status).toBe('unchanged');
    });

    it('leaves a stored trigger unchanged with ifExists: keep', async () => {
      await driver().scheduleAll(everyMinute());
      const kept = await driver().applyOne({
        type: 'storeTrigger',
        trigger: everyNoon(),
        ifExists: 'keep',
        startTimeDefaulted: false,
      });
      expect(kept).toMatchObject({ status: 'kept', nextFireTime: NOW });
      expect((await driver().trigger()).kind).toBe('SIMPLE');
    });

    it('refuses a trigger without its job, without its calendar, or without a fire time', async () => {
      await expect(driver().apply(storing(once()))).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
      await driver().apply(storingJob());
      await expect(driver().apply(storing(once('a', { calendarName: 'holidays' })))).rejects.toMatchObject({
        code: 'CALENDAR_NOT_FOUND',
      });
      await expect(
        driver().apply(storing(everyNoon('b', { cronExpression: '0 0 12 1 1 ? 2020' }))),
      ).rejects.toMatchObject({ code: 'INVALID_TRIGGER' });
      expect(await driver().find('a')).toBeNull();
      expect(await driver().find('b')).toBeNull();
    });

    it('refuses a non-durable job that would have no trigger, if a trigger is required', async () => {
      await expect(driver().apply(storingJob(job(), true))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(await driver().job()).toBeNull();
      await driver().apply(storingJob(job(), true), storing(once()));
      await driver().apply(storingJob(job('durable', { durable: true }), true));
      expect(await driver().job()).not.toBeNull();
      expect(await driver().job('durable')).not.toBeNull();
    });

    it('runs the waiting triggers of a job by its new type after the type is replaced', async () => {
      await driver().schedule(job('job', { jobType: 'old' }), once());
      await driver().applyOne({ type: 'storeJob', job: job(), ifExists: 'replace', requireTrigger: false });
      expect(await driver().acquire({ jobTypes: ['old'] })).toEqual([]);
      expect(namesOf(await driver().acquire())).toEqual(['trigger']);
    });

    it('blocks the triggers of an executing job that becomes non-concurrent, and unblocks them', async () => {
      await driver().scheduleAll(everyMinute(), everyMinute('other', { startTime: NOW + MINUTE }));
      const firing = await driver().fireOne();
      const replace = (disallowConcurrentExecution: boolean) =>
        driver().applyOne({
          type: 'storeJob',
          job: job('job', { disallowConcurrentExecution }),
          ifExists: 'replace',
          requireTrigger: false,
        });
      await replace(true);
      expect(await driver().state('other')).toBe('BLOCKED');
      await replace(false);
      expect(await driver().state('other')).toBe('WAITING');
      await replace(true);
      await driver().complete(firing);
      expect(await driver().state('other')).toBe('WAITING');
    });

    it('announces the earliest new fire time after its commit', async () => {
      await driver().scheduleAll(once('later', { startTime: NOW + HOUR }), once('sooner', { startTime: NOW + MINUTE }));
      expect(driver().announced).toEqual([NOW + MINUTE]);
      driver().announced = [];
      await expect(driver().apply(storing(once('x')), storing(once('x')))).rejects.toThrow();
      await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('nothing') });
      expect(driver().announced).toEqual([]);
    });
  });
}

function describeDeleting({ driver }: StoreContext): void {
  describe('for deleting', () => {
    it('deletes a non-durable job only with its last trigger', async () => {
      await driver().scheduleAll(once('first'), once('second'));
      const first = await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('first') });
      expect(first).toMatchObject({ status: 'deleted', deletedTriggers: [triggerKey('first')], deletedJobs: [] });
      const second = await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('second') });
      expect(second).toMatchObject({ deletedTriggers: [triggerKey('second')], deletedJobs: [jobKey('job')] });
      expect(await driver().job()).toBeNull();
    });

    it('keeps a durable job', async () => {
      await driver().schedule(job('job', { durable: true }), once());
      await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('trigger') });
      expect(await driver().job()).not.toBeNull();
    });

    it('deletes a job with all its triggers', async () => {
      await driver().scheduleAll(once('a'), everyMinute('b'));
      const outcome = await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
      expect(outcome).toMatchObject({ status: 'deleted', deletedJobs: [jobKey('job')] });
      expect(outcome.deletedTriggers.map(({ name }) => name).sort()).toEqual(['a', 'b']);
      expect(await driver().acquire()).toEqual([]);
    });

    it('reports notFound if there is nothing to delete', async () => {
      const outcomes = await driver().apply(
        { type: 'deleteTrigger', key: triggerKey('x') },
        { type: 'deleteJob', key: jobKey('x') },
        { type: 'deleteCalendar', name: 'x' },
        { type: 'deleteJobsInGroup', group: GroupMatcher.anyGroup(), exceptGroups: [] },
        { type: 'deleteTriggersInGroup', group: GroupMatcher.anyGroup(), exceptGroups: [] },
        { type: 'replaceTrigger', key: triggerKey('x'), trigger: once(), startTimeDefaulted: false },
      );
      expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('notFound'));
    });

    it('deletes matching groups, except excluded ones', async () => {
      for (const group of ['web', 'web-night', 'db']) {
        const detail = job('job', { key: jobKey('job', group) });
        await driver().schedule(detail, once('trigger', { key: triggerKey('trigger', group) }));
      }
      const group = GroupMatcher.groupStartsWith('web');
      const outcome = await driver().applyOne({ type: 'deleteJobsInGroup', group, exceptGroups: ['web-night'] });
      expect(outcome.deletedJobs).toEqual([jobKey('job', 'web')]);
      expect(outcome.deletedTriggers).toEqual([triggerKey('trigger', 'web')]);
      await driver().applyOne({
        type: 'deleteTriggersInGroup',
        group: GroupMatcher.anyGroup(),
        exceptGroups: ['db'],
      });
      expect(await driver().store.getTriggerGroupNames()).toEqual(['db']);
      expect(await driver().store.getJobGroupNames()).toEqual(['db']);
    });

    it('deletes a job once if its triggers are deleted together', async () => {
      await driver().scheduleAll(once('a'), once('b'));
      const group = GroupMatcher.groupEquals('DEFAULT');
      const outcome = await driver().applyOne({ type: 'deleteTriggersInGroup', group, exceptGroups: [] });
      expect(outcome.deletedTriggers).toHaveLength(2);
      expect(outcome.deletedJobs).toEqual([jobKey('job')]);
    });

    it('lets an execution end although its trigger and job were deleted', async () => {
      await driver().scheduleAll(once());
      const firing = await driver().fireOne();
      await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
      expect(await driver().complete(firing, 'DELETE_TRIGGER')).toEqual({
        status: 'completed',
        deletedTrigger: false,
        deletedJob: false,
      });
    });

    it('keeps a job blocked that is deleted and stored again until the old execution has ended', async () => {
      const detail = job('job', { disallowConcurrentExecution: true });
      await driver().schedule(detail, once());
      const firing = await driver().fireOne();
      await driver().applyOne({ type: 'deleteJob', key: detail.key });
      await driver().schedule(detail, once('again'));
      expect(await driver().state('again')).toBe('BLOCKED');
      expect(await driver().acquire()).toEqual([]);
      await driver().complete(firing, 'DELETE_TRIGGER');
      expect(namesOf(await driver().acquire())).toEqual(['again']);
    });

    it('clears everything, including paused groups', async () => {
      await driver().scheduleAll(once());
      await driver().applyOne(storingCalendar(without('2026-12-25')));
      await driver().store.pauseTriggers(GroupMatcher.anyGroup());
      await driver().applyOne({ type: 'clear' });
      expect(await driver().everything()).toEqual({
        jobs: { items: [], total: 0 },
        triggers: { items: [], total: 0 },
        jobGroups: [],
        triggerGroups: [],
        pausedGroups: [],
        calendars: [],
      });
    });
  });
}

function describeAtomicity({ driver }: StoreContext): void {
  describe('that fails', () => {
    const impossible = storing(once('new', { jobKey: jobKey('nobody') }));
    const sets: readonly { name: string; changes: readonly ScheduleChange[] }[] = [
      {
        name: 'a new job and trigger',
        changes: [storingJob(job('new')), storing(once('n', { jobKey: jobKey('new') }))],
      },
      {
        name: 'a replaced job',
        changes: [
          {
            type: 'storeJob',
            job: job('job', { jobType: 'other', disallowConcurrentExecution: true, description: 'new' }),
            ifExists: 'replace',
            requireTrigger: false,
          },
        ],
      },
      {
        name: 'replaced triggers',
        changes: ['acquired', 'executing', 'paused'].map((name) => ({
          type: 'storeTrigger' as const,
          trigger: everyNoon(name, { jobKey: jobKey('durable') }),
          ifExists: 'replace' as const,
          startTimeDefaulted: false,
        })),
      },
      {
        name: 'a rescheduled trigger under another key',
        changes: [
          { type: 'replaceTrigger', key: triggerKey('acquired'), trigger: once('x'), startTimeDefaulted: false },
        ],
      },
      { name: 'a deleted trigger', changes: [{ type: 'deleteTrigger', key: triggerKey('acquired') }] },
      { name: 'a deleted job', changes: [{ type: 'deleteJob', key: jobKey('job') }] },
      {
        name: 'deleted groups',
        changes: [
          { type: 'deleteTriggersInGroup', group: GroupMatcher.anyGroup(), exceptGroups: [] },
          { type: 'deleteJobsInGroup', group: GroupMatcher.anyGroup(), exceptGroups: [] },
        ],
      },
      {
        name: 'calendar changes',
        changes: [
          storingCalendar(without('2026-01-01', '2026-01-02', '2026-01-03'), 'replace'),
          { type: 'deleteTrigger', key: triggerKey('noon') },
          { type: 'deleteCalendar', name: 'holidays' },
        ],
      },
      { name: 'a cleared schedule', changes: [{ type: 'clear' }] },
      {
        name: 'a cleared and refilled schedule',
        changes: [{ type: 'clear' }, storingJob(job('job', { disallowConcurrentExecution: true })), storing(once())],
      },
    ];

    it.each(sets)('is rolled back after $name', async ({ changes }) => {
      await driver().applyOne(storingCalendar(without('2026-01-02')));
      await driver().schedule(job('durable', { durable: true }), everyNoon('noon', { calendarName: 'holidays' }));
      await driver().scheduleAll(once('executing'), everyMinute('acquired'), once('paused', { startTime: NOW + DAY }));
      await driver().store.pauseTriggers([triggerKey('paused')]);
      await driver().store.pauseTriggers(GroupMatcher.groupEquals('night'));
      const acquired = await driver().acquireOne();
      const firing = await driver().fireOne();
      const before = await driver().everything();

      await expect(driver().apply(...changes, impossible)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });

      expect(await driver().everything()).toEqual(before);
      // Reservations and executions still belong to this node, and waiting triggers are still queued.
      expect(await driver().complete(firing)).toMatchObject({ status: 'completed' });
      expect(namesOf(await driver().acquire())).toEqual(['noon']);
      expect((await driver().fire(acquired)).map(({ status }) => status)).toEqual(['fired']);
    });
  });
}
