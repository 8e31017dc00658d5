import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { ALL_GROUPS_PAUSED } from '../../../src/store/job-store';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf, storing } from '../store-driver';

const inGroup = (group: string, name = 'trigger', jobName = 'job') =>
  everyMinute(name, { key: triggerKey(name, group), jobKey: jobKey(jobName) });

/** Pauses and resumes of single triggers, groups and everything. */
export function describePausing(context: StoreContext): void {
  describe('pausing, resuming and resetting:', () => {
    describeTriggers(context);
    describeGroups(context);
    describeAll(context);
    describeAnswers(context);
    describeJobs(context);
    describeResets(context);
    describeMissedTimes(context);
  });
}

function describeTriggers({ driver }: StoreContext): void {
  it('a paused trigger does not fire until it is resumed', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'));
    expect(await driver().store.pauseTriggers([triggerKey('trigger'), triggerKey('nothing')])).toEqual(['DEFAULT']);
    expect(namesOf(await driver().fireDue())).toEqual(['other']);
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    expect(namesOf(await driver().fireDue())).toEqual(['trigger']);
  });

  it('a pause ends a reservation, which then can neither fire nor release the trigger', async () => {
    await driver().scheduleAll(everyMinute());
    const acquired = await driver().acquireOne();
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    expect(await driver().fire(acquired)).toEqual([{ status: 'notFired', acquired, reason: 'paused' }]);
    await driver().store.releaseTriggers([acquired]);
    expect(await driver().state()).toBe('PAUSED');
  });

  it('a pause lets an executing run end, and the trigger stays paused', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute());
    const firing = await driver().fireOne();
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    expect(await driver().state()).toBe('PAUSED_BLOCKED');
    await driver().complete(firing);
    expect(await driver().state()).toBe('PAUSED');
  });

  it('a pause of a single trigger does not pause its group', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    expect(await driver().store.getPausedTriggerGroups()).toEqual([]);
    await driver().apply(storing(everyMinute('new')));
    expect(await driver().state('new')).toBe('WAITING');
  });
}

function describeGroups({ driver }: StoreContext): void {
  it.each([
    { matcher: GroupMatcher.groupEquals('web'), expected: ['web'] },
    { matcher: GroupMatcher.groupStartsWith('web'), expected: ['web', 'web-night'] },
    { matcher: GroupMatcher.groupEndsWith('night'), expected: ['db-night', 'web-night'] },
    { matcher: GroupMatcher.groupContains('-'), expected: ['db-night', 'web-night'] },
    { matcher: GroupMatcher.groupContains('%'), expected: [] },
    { matcher: GroupMatcher.groupContains('_'), expected: [] },
  ])('groups that match $matcher.operator $matcher.value are paused and resumed', async ({ matcher, expected }) => {
    const groups = ['web', 'web-night', 'db-night', 'Web'];
    await driver().scheduleAll(...groups.map((group) => inGroup(group)));
    expect([...(await driver().store.pauseTriggers(matcher))].sort()).toEqual(expected);
    expect(await driver().store.getPausedTriggerGroups()).toEqual(expected);
    for (const group of groups) {
      const state = expected.includes(group) ? 'PAUSED' : 'WAITING';
      expect(await driver().state(triggerKey('trigger', group))).toBe(state);
    }
    expect(await driver().store.resumeTriggers(matcher, driver().options)).toEqual(expected);
    expect(await driver().store.getPausedTriggerGroups()).toEqual([]);
    expect(await driver().acquire()).toHaveLength(groups.length);
  });

  it('a trigger that is added to a paused group starts paused, until the group is resumed', async () => {
    await driver().scheduleAll(inGroup('web'));
    await driver().store.pauseTriggers(GroupMatcher.groupStartsWith('w'));
    await driver().apply(storing(inGroup('web', 'new')));
    expect(await driver().state(triggerKey('new', 'web'))).toBe('PAUSED');
    await driver().store.resumeTriggers(GroupMatcher.groupEquals('web'), driver().options);
    await driver().apply(storing(inGroup('web', 'newer')));
    expect(namesOf(await driver().acquire())).toEqual(['new', 'newer', 'trigger']);
  });

  it('a paused group is remembered before it has triggers, and after it has lost its last one', async () => {
    expect(await driver().store.pauseTriggers(GroupMatcher.groupEquals('web'))).toEqual(['web']);
    await driver().scheduleAll(inGroup('web'));
    expect(await driver().state(triggerKey('trigger', 'web'))).toBe('PAUSED');
    await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('trigger', 'web') });
    expect(await driver().store.getPausedTriggerGroups()).toEqual(['web']);
    expect(await driver().store.resumeTriggers(GroupMatcher.groupStartsWith('we'), driver().options)).toEqual(['web']);
    expect(await driver().store.getPausedTriggerGroups()).toEqual([]);
  });

  it('a trigger that is added to a paused group starts PAUSED_BLOCKED while its job executes', async () => {
    const detail = job('job', { disallowConcurrentExecution: true });
    await driver().schedule(detail, inGroup('running'));
    const firing = await driver().fireOne();
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('web'));
    await driver().apply(storing(inGroup('web')));
    expect(await driver().state(triggerKey('trigger', 'web'))).toBe('PAUSED_BLOCKED');
    await driver().complete(firing);
    expect(await driver().state(triggerKey('trigger', 'web'))).toBe('PAUSED');
  });

  it('a single trigger of a paused group can be resumed, and a reset pauses it again', async () => {
    await driver().scheduleAll(inGroup('web'));
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('web'));
    await driver().store.resumeTriggers([triggerKey('trigger', 'web')], driver().options);
    expect(await driver().store.getPausedTriggerGroups()).toEqual(['web']);
    await driver().complete(await driver().fireOne(), 'SET_TRIGGER_ERROR');
    await driver().store.resetTriggersFromError([triggerKey('trigger', 'web')]);
    expect(await driver().state(triggerKey('trigger', 'web'))).toBe('PAUSED');
  });
}

function describeAll({ driver }: StoreContext): void {
  it('a pause of all groups includes future groups, until all are resumed', async () => {
    await driver().scheduleAll(inGroup('web'));
    expect(await driver().store.pauseTriggers(GroupMatcher.anyGroup())).toEqual(['web']);
    expect(await driver().store.getPausedTriggerGroups()).toEqual([ALL_GROUPS_PAUSED, 'web'].sort());
    await driver().apply(storing(inGroup('db')));
    expect(await driver().state(triggerKey('trigger', 'db'))).toBe('PAUSED');
    expect(await driver().store.getPausedTriggerGroups()).toEqual([ALL_GROUPS_PAUSED, 'db', 'web'].sort());

    expect(await driver().store.resumeTriggers(GroupMatcher.anyGroup(), driver().options)).toEqual(['db', 'web']);
    expect(await driver().store.getPausedTriggerGroups()).toEqual([]);
    await driver().apply(storing(inGroup('new')));
    expect(await driver().acquire()).toHaveLength(3);
  });

  it('a pause of all groups still includes future groups after one group is resumed', async () => {
    await driver().scheduleAll(inGroup('web'));
    await driver().store.pauseTriggers(GroupMatcher.anyGroup());
    await driver().store.resumeTriggers(GroupMatcher.groupEquals('web'), driver().options);
    expect(await driver().state(triggerKey('trigger', 'web'))).toBe('WAITING');
    await driver().store.resumeTriggers(GroupMatcher.groupContains('ALL_GROUPS'), driver().options);
    await driver().apply(storing(inGroup('db')));
    expect(await driver().state(triggerKey('trigger', 'db'))).toBe('PAUSED');
  });

  it('a pause of all groups includes future groups although no group exists', async () => {
    expect(await driver().store.pauseTriggers(GroupMatcher.anyGroup())).toEqual([]);
    await driver().scheduleAll(inGroup('web'));
    expect(await driver().acquire()).toEqual([]);
  });
}

function describeAnswers({ driver }: StoreContext): void {
  it('every operation returns the groups of stored keys, whatever their state', async () => {
    await driver().scheduleAll(inGroup('web'));
    const { store, options } = driver();
    const changes = {
      pauseTriggers: (name: string) => store.pauseTriggers([triggerKey(name, 'web')]),
      resumeTriggers: (name: string) => store.resumeTriggers([triggerKey(name, 'web')], options),
      pauseJobs: (name: string) => store.pauseJobs([jobKey(name)]),
      resumeJobs: (name: string) => store.resumeJobs([jobKey(name)], options),
      resetTriggersFromError: (name: string) => store.resetTriggersFromError([triggerKey(name, 'web')]),
    };
    for (const [name, change] of Object.entries(changes)) {
      const [key, group] = name.includes('Jobs') ? ['job', 'DEFAULT'] : ['trigger', 'web'];
      const answers = { name, first: await change(key), again: await change(key), nothing: await change('nothing') };
      expect(answers).toEqual({ name, first: [group], again: [group], nothing: [] });
    }
  });
}

function describeJobs({ driver }: StoreContext): void {
  const addJobs = async () => {
    for (const group of ['web', 'db']) {
      const detail = job('job', { key: jobKey('job', group) });
      await driver().schedule(detail, everyMinute(`${group}-1`), everyMinute(`${group}-2`));
    }
  };

  it('a pause of a job includes its present triggers only', async () => {
    await addJobs();
    expect(await driver().store.pauseJobs([jobKey('job', 'web'), jobKey('nothing')])).toEqual(['web']);
    expect(namesOf(await driver().acquire())).toEqual(['db-1', 'db-2']);
    await driver().apply(storing(everyMinute('web-3', { jobKey: jobKey('job', 'web') })));
    expect(await driver().state('web-3')).toBe('WAITING');
    expect(await driver().store.resumeJobs([jobKey('job', 'web')], driver().options)).toEqual(['web']);
    expect(namesOf(await driver().acquire())).toEqual(['web-1', 'web-2', 'web-3']);
  });

  it('a pause of a job group does not pause trigger groups', async () => {
    await addJobs();
    expect(await driver().store.pauseJobs(GroupMatcher.groupStartsWith('w'))).toEqual(['web']);
    expect(await driver().state('web-1')).toBe('PAUSED');
    expect(await driver().state('db-1')).toBe('WAITING');
    expect(await driver().store.getPausedTriggerGroups()).toEqual([]);
    expect(await driver().store.pauseJobs(GroupMatcher.anyGroup())).toEqual(['db', 'web']);
    expect(await driver().acquire()).toEqual([]);
    expect(await driver().store.resumeJobs(GroupMatcher.anyGroup(), driver().options)).toEqual(['db', 'web']);
    expect(await driver().acquire()).toHaveLength(4);
  });
}

function describeResets({ driver }: StoreContext): void {
  it('a reset completes a trigger without further fire times, and ignores triggers not in ERROR', async () => {
    await driver().scheduleAll(once(), everyMinute('waiting'));
    const [firing] = await driver().fireDue({ maxCount: 1 });
    await driver().complete(firing as TriggerFiring, 'SET_TRIGGER_ERROR');
    await driver().store.resetTriggersFromError([triggerKey('trigger'), triggerKey('waiting'), triggerKey('nothing')]);
    expect(await driver().state()).toBe('COMPLETE');
    expect(await driver().state('waiting')).toBe('WAITING');
  });
}

function describeMissedTimes({ driver }: StoreContext): void {
  it('a pause without missed fire times does not change the schedule', async () => {
    await driver().scheduleAll(everyMinute('trigger', { startTime: NOW + HOUR }));
    const before = await driver().trigger();
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    expect(await driver().trigger()).toEqual(before);
  });

  it('a resumed trigger fires late if it is within the misfire threshold', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    driver().now = NOW + MINUTE;
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    expect((await driver().fireOne()).scheduledFireTime).toBe(NOW);
  });

  it.each([
    { misfireInstruction: 'FIRE_NOW', next: NOW + HOUR + SECOND },
    { misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT', next: NOW + HOUR + MINUTE },
    { misfireInstruction: 'IGNORE_MISFIRE_POLICY', next: NOW },
  ] as const)('a resumed trigger handles missed fire times by $misfireInstruction', async ({
    misfireInstruction,
    next,
  }) => {
    await driver().scheduleAll(everyMinute('trigger', { misfireInstruction }));
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('DEFAULT'));
    driver().now = NOW + HOUR + SECOND;
    await driver().store.resumeTriggers(GroupMatcher.groupEquals('DEFAULT'), driver().options);
    expect((await driver().trigger()).nextFireTime).toBe(next);
    expect(await driver().state()).toBe('WAITING');
  });

  it('a resumed trigger without further fire times is deleted', async () => {
    await driver().scheduleAll(
      everyMinute('trigger', { endTime: NOW + HOUR, misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT' }),
    );
    await driver().store.pauseJobs([jobKey('job')]);
    driver().now = NOW + 2 * HOUR;
    await driver().store.resumeJobs([jobKey('job')], driver().options);
    expect(await driver().state()).toBeNull();
  });

  it('resuming and resetting announce new fire times, and only these', async () => {
    await driver().scheduleAll(once('trigger', { startTime: NOW + HOUR }), everyMinute('failing'));
    await driver().complete(await driver().fireOne(), 'SET_TRIGGER_ERROR');
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    driver().announced = [];
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    await driver().store.resetTriggersFromError([triggerKey('failing')]);
    expect(driver().announced).toEqual([NOW + HOUR, NOW + MINUTE]);
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    await driver().store.resetTriggersFromError([triggerKey('failing')]);
    expect(driver().announced).toHaveLength(2);
  });
}
