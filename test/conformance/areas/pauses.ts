import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { ExplainedPause, PauseExplanation, PauseTarget } from '../../../src/domain/pause';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW } from '../samples';

const said = (fields: Partial<PauseExplanation> = {}): PauseExplanation => ({
  reason: 'Année fiscale – 会計年度 🙂',
  by: 'ops',
  since: NOW,
  until: null,
  ...fields,
});
const untilOne = said({ until: NOW + HOUR });

const TRIGGER: PauseTarget = { kind: 'trigger', key: triggerKey('trigger') };
const ALL: PauseTarget = { kind: 'triggers', matcher: GroupMatcher.anyGroup() };
const groupOf = (value: string): PauseTarget => ({ kind: 'triggers', matcher: GroupMatcher.groupEquals(value) });
const inGroup = (group: string, name = 'trigger', jobName = 'job') =>
  everyMinute(name, { key: triggerKey(name, group), jobKey: jobKey(jobName) });

/** Explanations of pauses, and pauses that end by themselves. */
export function describePauses(context: StoreContext): void {
  describe('an explained pause', () => {
    describeKeeping(context);
    describeForgetting(context);
    describeDeletion(context);
    describeLastPaused(context);
    describeEnding(context);
    describeHolding(context);
  });
  describe('the pause', () => describeStaying(context));
}

function tools({ driver }: StoreContext) {
  const sorted = (pauses: readonly ExplainedPause[]) =>
    [...pauses].sort((a, b) => (JSON.stringify(a.target) < JSON.stringify(b.target) ? -1 : 1));
  return {
    pauses: async () => sorted(await driver().store.getPauses()),
    targets: async () => sorted(await driver().store.getPauses()).map(({ target }) => target),
    endAt: async (now: number) => {
      driver().now = now;
      return driver().store.endPauses(driver().options);
    },
    pause: (names: readonly string[], explanation?: PauseExplanation) =>
      driver().store.pauseTriggers(
        names.map((name) => triggerKey(name)),
        explanation,
      ),
    resume: (...names: readonly string[]) =>
      driver().store.resumeTriggers(
        names.map((name) => triggerKey(name)),
        driver().options,
      ),
  };
}

function describeKeeping(context: StoreContext): void {
  const { driver } = context;
  const { pauses, targets, pause } = tools(context);

  it('is stored with every field of its explanation', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'));
    await pause(['trigger', 'nothing'], untilOne);
    await pause(['other'], said({ reason: null, by: null, since: NOW + 5 }));
    expect(await pauses()).toEqual([
      { target: { kind: 'trigger', key: triggerKey('other') }, ...said({ reason: null, by: null, since: NOW + 5 }) },
      { target: TRIGGER, ...untilOne },
    ]);
    expect(await driver().state()).toBe('PAUSED');
  });

  it('is found by its triggers, by their jobs and by groups', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'));
    await pause(['trigger'], untilOne);
    await driver().store.pauseJobs([jobKey('job')], said());
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('a'), said());
    const of = async (name: string, group: string) => {
      const found = await driver().store.getPauses([{ key: triggerKey(name), jobKey: jobKey(group) }]);
      return found.map(({ target }) => target);
    };
    expect(await of('trigger', 'job')).toEqual(
      expect.arrayContaining([TRIGGER, { kind: 'job', key: jobKey('job') }, groupOf('a')]),
    );
    expect(await of('another', 'another')).toContainEqual(groupOf('a'));
  });

  it.each<[string, PauseTarget]>([
    ['a group', groupOf('a')],
    ['a group without triggers', groupOf('none')],
    ['groups with a prefix', { kind: 'triggers', matcher: GroupMatcher.groupStartsWith('a') }],
    ['all groups', ALL],
    ['a job', { kind: 'job', key: jobKey('job') }],
    ['job groups', { kind: 'jobs', matcher: GroupMatcher.groupEndsWith('T') }],
  ])('can apply to %s', async (_, target) => {
    await driver().scheduleAll(inGroup('a'));
    const { store } = driver();
    if (target.kind === 'job') await store.pauseJobs([target.key], said());
    else if (target.kind === 'jobs') await store.pauseJobs(target.matcher, said());
    else if (target.kind === 'triggers') await store.pauseTriggers(target.matcher, said());
    expect(await pauses()).toEqual([{ target, ...said() }]);
  });

  it('is not stored if it applies to nothing', async () => {
    await pause(['trigger'], said());
    await driver().store.pauseJobs([jobKey('job')], said());
    await driver().store.pauseTriggers(GroupMatcher.groupStartsWith('x'), said());
    expect(await targets()).toEqual([]);
  });

  it('replaces the explanation of an earlier pause', async () => {
    await driver().scheduleAll(everyMinute());
    await pause(['trigger'], untilOne);
    const later = said({ reason: 'again', since: NOW + MINUTE });
    await pause(['trigger'], later);
    expect(await pauses()).toEqual([{ target: TRIGGER, ...later }]);
  });
}

function describeForgetting(context: StoreContext): void {
  const { driver } = context;
  const { targets, pause, resume } = tools(context);

  it('loses its explanation when its target is paused again without one', async () => {
    await driver().scheduleAll(everyMinute(), inGroup('a'));
    await pause(['trigger'], untilOne);
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('a'), untilOne);
    await driver().store.pauseTriggers(GroupMatcher.anyGroup(), untilOne);
    await pause(['trigger']);
    expect(await targets()).toEqual([ALL, groupOf('a')]);
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('a'));
    expect(await targets()).toEqual([ALL]);
    await driver().store.pauseTriggers(GroupMatcher.anyGroup());
    expect(await targets()).toEqual([]);
  });

  it('loses its explanation for a job that is paused again without one', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().store.pauseJobs([jobKey('job')], untilOne);
    await driver().store.pauseJobs([jobKey('job')]);
    expect(await targets()).toEqual([]);
  });

  it('ends when its target is resumed, also by a group or a job', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'), inGroup('a'));
    await pause(['trigger', 'other'], said());
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('a'), said());
    await resume('other');
    expect(await targets()).toEqual([TRIGGER, groupOf('a')]);
    await driver().store.resumeTriggers(GroupMatcher.groupStartsWith('a'), driver().options);
    expect(await targets()).toEqual([TRIGGER]);
    await driver().store.resumeJobs([jobKey('job')], driver().options);
    expect(await targets()).toEqual([]);
  });

  it('ends, whatever its target, when all groups are resumed', async () => {
    await driver().scheduleAll(everyMinute(), inGroup('a'));
    await pause(['trigger'], said());
    await driver().store.pauseJobs([jobKey('job')], said());
    await driver().store.pauseJobs(GroupMatcher.anyGroup(), said());
    await driver().store.pauseTriggers(GroupMatcher.groupContains('a'), said());
    expect(await targets()).toHaveLength(4);
    await driver().store.resumeTriggers(GroupMatcher.anyGroup(), driver().options);
    expect(await targets()).toEqual([]);
  });
}

function describeDeletion(context: StoreContext): void {
  const { driver } = context;
  const { targets, pause } = tools(context);

  it('is deleted with its target', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'));
    await driver().store.pauseJobs([jobKey('job')], said());
    await pause(['trigger', 'other'], said());
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('trigger') });
    expect(await targets()).toEqual([
      { kind: 'job', key: jobKey('job') },
      { kind: 'trigger', key: triggerKey('other') },
    ]);
    await driver().apply({ type: 'deleteJob', key: jobKey('job') });
    expect(await targets()).toEqual([]);
  });

  it('is kept with a replaced trigger, which stays paused', async () => {
    await driver().scheduleAll(everyMinute());
    await pause(['trigger'], said());
    await driver().register(everyMinute('trigger', { repeatInterval: 2 * MINUTE }));
    expect(await driver().state()).toBe('PAUSED');
    expect(await targets()).toEqual([TRIGGER]);
  });

  it('is deleted when the schedule is cleared', async () => {
    await driver().scheduleAll(everyMinute());
    await pause(['trigger'], said());
    await driver().store.pauseTriggers(GroupMatcher.anyGroup(), said());
    await driver().apply({ type: 'clear' });
    expect(await targets()).toEqual([]);
  });
}

/** The pause of a job ends with the last of its paused triggers, however that trigger leaves the pause. */
function describeLastPaused(context: StoreContext): void {
  const { driver } = context;
  const { targets, resume } = tools(context);
  const A_JOB: PauseTarget = { kind: 'job', key: jobKey('job') };
  const pauseJob = async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'));
    await driver().schedule(job('free'), everyMinute('elsewhere', { jobKey: jobKey('free') }));
    await driver().store.pauseJobs([jobKey('job')], said());
  };
  const replace = (name: string, to: string) => {
    const trigger = everyMinute(to);
    return driver().applyOne({ type: 'replaceTrigger', key: triggerKey(name), trigger, startTimeDefaulted: false });
  };
  const ways: readonly [string, (name: string) => Promise<unknown>][] = [
    ['resumed', (name) => resume(name)],
    [
      'resumed by its group',
      () => driver().store.resumeTriggers(GroupMatcher.groupEquals('DEFAULT'), driver().options),
    ],
    ['deleted', (name) => driver().apply({ type: 'deleteTrigger', key: triggerKey(name) })],
    ['moved to another job', (name) => driver().register(everyMinute(name, { jobKey: jobKey('free') }))],
  ];

  it.each(ways)('ends for a job when its last paused trigger is %s', async (way, leave) => {
    await pauseJob();
    if (way !== 'resumed by its group') {
      await leave('trigger');
      expect(await targets()).toEqual([A_JOB]);
      expect(await driver().state('other')).toBe('PAUSED');
    }
    await leave('other');
    expect(await targets()).toEqual([]);
  });

  it('ends for a job when its triggers are deleted together, but not if the change set fails', async () => {
    await pauseJob();
    const both = [triggerKey('trigger'), triggerKey('other')].map((key) => ({ type: 'deleteTrigger', key }) as const);
    const impossible = { type: 'storeTrigger', trigger: everyMinute('elsewhere'), startTimeDefaulted: false } as const;
    await expect(driver().apply(...both, { ...impossible, ifExists: 'fail' })).rejects.toThrow('elsewhere');
    expect(await targets()).toEqual([A_JOB]);
    await driver().apply(...both);
    expect(await targets()).toEqual([]);
  });

  it('is kept for a job when its triggers are replaced and renamed', async () => {
    await pauseJob();
    await replace('trigger', 'trigger');
    await replace('other', 'new');
    expect(await targets()).toEqual([A_JOB]);
    expect([await driver().state(), await driver().state('new')]).toEqual(['PAUSED', 'PAUSED']);
  });

  it('is kept for a trigger when the trigger is replaced', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().store.pauseTriggers([triggerKey('trigger')], said());
    await replace('trigger', 'trigger');
    expect(await driver().state()).toBe('PAUSED');
    expect(await targets()).toEqual([{ kind: 'trigger', key: triggerKey('trigger') }]);
  });

  it('ends for a durable job when the last trigger of the job is deleted', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute());
    await driver().store.pauseJobs([jobKey('job')], said());
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('trigger') });
    expect(await targets()).toEqual([]);
  });
}

function describeEnding(context: StoreContext): void {
  const { driver } = context;
  const { pauses, targets, pause, endAt } = tools(context);

  it('ends once by itself at its end time, and not before', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'));
    await pause(['trigger'], untilOne);
    await pause(['other'], said({ until: NOW + 2 * HOUR }));
    expect(await endAt(NOW + HOUR - 1)).toEqual({ ended: [], nextEnd: NOW + HOUR });
    expect(await driver().state()).toBe('PAUSED');
    driver().announced = [];
    expect(await endAt(NOW + HOUR)).toEqual({
      ended: [{ target: TRIGGER, ...untilOne }],
      nextEnd: NOW + 2 * HOUR,
    });
    expect(await driver().state()).toBe('WAITING');
    expect(driver().announced).toHaveLength(1);
    expect(await endAt(NOW + HOUR)).toEqual({ ended: [], nextEnd: NOW + 2 * HOUR });
    expect(await endAt(NOW + 2 * HOUR)).toMatchObject({ nextEnd: null });
    expect(await pauses()).toEqual([]);
  });

  it('applies misfire instructions when it ends by itself', async () => {
    await driver().scheduleAll(
      everyMinute('once', { misfireInstruction: 'FIRE_NOW' }),
      everyMinute('skips', { misfireInstruction: 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT' }),
    );
    await pause(['once', 'skips'], untilOne);
    await endAt(NOW + HOUR + 1);
    expect((await driver().trigger('once')).nextFireTime).toBe(NOW + HOUR + 1);
    expect((await driver().trigger('skips')).nextFireTime).toBe(NOW + HOUR + MINUTE);
  });

  it.each<[string, PauseTarget]>([
    ['a group', groupOf('a')],
    ['all groups', ALL],
    ['a job', { kind: 'job', key: jobKey('job') }],
    ['job groups', { kind: 'jobs', matcher: GroupMatcher.anyGroup() }],
  ])('resumes %s when it ends by itself', async (_, target) => {
    await driver().scheduleAll(inGroup('a'), inGroup('a', 'other'));
    const { store } = driver();
    if (target.kind === 'job') await store.pauseJobs([target.key], untilOne);
    else if (target.kind === 'jobs') await store.pauseJobs(target.matcher, untilOne);
    else if (target.kind === 'triggers') await store.pauseTriggers(target.matcher, untilOne);
    await endAt(NOW + HOUR);
    expect(await driver().state(triggerKey('trigger', 'a'))).toBe('WAITING');
    expect(await driver().state(triggerKey('other', 'a'))).toBe('WAITING');
    expect(await store.getPausedTriggerGroups()).toEqual([]);
    expect(await targets()).toEqual([]);
  });
}

function describeHolding(context: StoreContext): void {
  const { driver } = context;
  const { targets, pause, endAt } = tools(context);

  it('does not resume a trigger that another explained pause holds', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('other'), inGroup('a'));
    await pause(['trigger'], said());
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('a'), said());
    await driver().store.pauseTriggers(GroupMatcher.anyGroup(), untilOne);
    await endAt(NOW + HOUR);
    expect(await driver().state('trigger')).toBe('PAUSED');
    expect(await driver().state('other')).toBe('WAITING');
    expect(await driver().state(triggerKey('trigger', 'a'))).toBe('PAUSED');
    expect(await driver().store.getPausedTriggerGroups()).toEqual(['a']);
    expect(await targets()).toEqual([TRIGGER, groupOf('a')]);
  });

  it('does not resume its trigger when it ends, if the group of the trigger is paused', async () => {
    await driver().scheduleAll(everyMinute());
    await pause(['trigger'], untilOne);
    await driver().store.pauseTriggers(GroupMatcher.anyGroup());
    expect((await endAt(NOW + HOUR)).ended).toHaveLength(1);
    expect(await driver().state()).toBe('PAUSED');
    expect(await targets()).toEqual([]);
  });

  it('leaves an executing job blocked when it ends', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute());
    await driver().fireOne();
    await pause(['trigger'], untilOne);
    expect(await driver().state()).toBe('PAUSED_BLOCKED');
    await endAt(NOW + HOUR);
    expect(await driver().state()).toBe('BLOCKED');
  });
}

/** A pause belongs to its target. Resuming a wider scope, without `alsoSingle`, does not end it. */
function describeStaying(context: StoreContext): void {
  const { driver } = context;
  const { endAt, targets } = tools(context);
  const single = () => ({ ...driver().options, keepsSingle: true as const });
  const { groupEquals, groupStartsWith, anyGroup } = GroupMatcher;
  const [a, other] = [triggerKey('trigger', 'group'), triggerKey('other', 'group')];
  const ofTrigger: PauseTarget = { kind: 'trigger', key: a };
  const ofJob: PauseTarget = { kind: 'job', key: jobKey('job') };
  const states = async () => Promise.all([driver().state(a), driver().state(other)]);

  beforeEach(async () => {
    await driver().schedule(job('job'), inGroup('group'));
    await driver().schedule(job('second'), inGroup('group', 'other', 'second'));
  });

  it.each([
    ['its group', groupEquals('group')],
    ['groups that include its own', groupStartsWith('gr')],
    ['all groups', anyGroup()],
  ])('is kept for a trigger when %s is paused and resumed', async (_, matcher) => {
    await driver().store.pauseTriggers([a], untilOne);
    await driver().store.pauseTriggers(matcher, said());
    await driver().store.resumeTriggers(matcher, single());
    expect(await states()).toEqual(['PAUSED', 'WAITING']);
    expect(await targets()).toEqual([ofTrigger]);
    expect((await endAt(NOW + HOUR)).ended).toMatchObject([{ target: ofTrigger }]);
    expect(await states()).toEqual(['WAITING', 'WAITING']);
  });

  it.each([
    ['its job', [jobKey('job')]],
    ['the group of its job', groupEquals('DEFAULT')],
    ['all job groups', anyGroup()],
  ] as const)('is also kept for a trigger when %s is paused and resumed', async (_, which) => {
    await driver().store.pauseTriggers([a], untilOne);
    await driver().store.pauseJobs(which, said());
    await driver().store.resumeJobs(which, single());
    expect(await states()).toEqual(['PAUSED', 'WAITING']);
    expect(await targets()).toEqual([ofTrigger]);
  });

  it.each([
    ['the group of its trigger', 'triggers', groupEquals('group')],
    ['all groups of triggers', 'triggers', anyGroup()],
    ['its own group', 'jobs', groupEquals('DEFAULT')],
  ] as const)('is kept for a job when %s is resumed', async (_, kind, matcher) => {
    await driver().store.pauseJobs([jobKey('job')], said());
    await driver().store[kind === 'jobs' ? 'pauseJobs' : 'pauseTriggers'](matcher);
    await driver().store[kind === 'jobs' ? 'resumeJobs' : 'resumeTriggers'](matcher, single());
    expect(await states()).toEqual(['PAUSED', 'WAITING']);
    expect(await targets()).toEqual([ofJob]);
  });

  it.each([
    ['all groups', anyGroup()],
    ['groups that include it', groupStartsWith('gr')],
  ])('is kept for a group when %s are resumed, also for triggers that are added later', async (_, matcher) => {
    await driver().store.pauseTriggers(groupEquals('group'), said());
    await driver().store.pauseTriggers(matcher);
    await driver().store.resumeTriggers(matcher, single());
    expect(await states()).toEqual(['PAUSED', 'PAUSED']);
    expect(await driver().store.getPausedTriggerGroups()).toEqual(['group']);
    await driver().schedule(job('third'), inGroup('group', 'third', 'third'));
    expect(await driver().state(triggerKey('third', 'group'))).toBe('PAUSED');
  });

  it('that applies to all groups ends for a resumed job, and for a resumed group', async () => {
    await driver().store.pauseTriggers(anyGroup(), said());
    await driver().store.resumeJobs([jobKey('job')], single());
    expect(await states()).toEqual(['WAITING', 'PAUSED']);
    await driver().store.resumeTriggers(groupEquals('group'), single());
    expect(await states()).toEqual(['WAITING', 'WAITING']);
  });

  it('ends if its end time has passed', async () => {
    await driver().store.pauseTriggers([a], untilOne);
    driver().now = NOW + HOUR;
    await driver().store.resumeTriggers(groupEquals('group'), single());
    expect(await states()).toEqual(['WAITING', 'WAITING']);
    expect(await targets()).toEqual([]);
  });

  it('moves with a trigger that is rescheduled under another key', async () => {
    await driver().store.pauseTriggers([a], untilOne);
    const trigger = { ...inGroup('group', 'new'), startTime: NOW + MINUTE };
    await driver().applyOne({ type: 'replaceTrigger', key: a, trigger, startTimeDefaulted: false });
    expect(await driver().state(trigger.key)).toBe('PAUSED');
    expect(await targets()).toEqual([{ kind: 'trigger', key: trigger.key }]);
    await endAt(NOW + HOUR);
    expect(await driver().state(trigger.key)).toBe('WAITING');
  });

  it.each([
    'storeTrigger',
    'replaceTrigger',
  ] as const)('that has ended for one trigger stays ended after %s', async (type) => {
    await driver().store.pauseTriggers(anyGroup(), said());
    await driver().store.resumeTriggers([a], driver().options);
    const trigger = { ...inGroup('group'), repeatInterval: HOUR, startTime: NOW + HOUR };
    const change =
      type === 'storeTrigger'
        ? ({ type, trigger, ifExists: 'replace', startTimeDefaulted: false } as const)
        : ({ type, key: a, trigger, startTimeDefaulted: false } as const);
    await driver().applyOne(change);
    expect(await states()).toEqual(['WAITING', 'PAUSED']);
  });
}
