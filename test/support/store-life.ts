import fc from 'fast-check';
import type { CompletionInstruction } from '../../src/domain/completion';
import type { AcquiredTrigger, TriggerFiring } from '../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../src/domain/keys';
import type { ScheduleChange } from '../../src/domain/schedule-change';
import type { Trigger } from '../../src/domain/trigger';
import { MemoryJobStore } from '../../src/store/memory/memory-job-store';
import { MemoryTables } from '../../src/store/memory/memory-tables';
import { retryOf } from '../conformance/areas/retries';
import { everyMinute, everyNoon, job, MINUTE, NOW, once, ran, without } from '../conformance/samples';
import { StoreDriver, storingCalendar } from '../conformance/store-driver';

/** A store, and the knowledge of a node about it. */
export class World {
  readonly tables = new MemoryTables();
  readonly driver: StoreDriver;
  readonly acquired: AcquiredTrigger[] = [];
  readonly firings: TriggerFiring[] = [];
  /** Every fired time, as `key@time`. */
  readonly fired: string[] = [];

  constructor() {
    const ids = Array.from({ length: 1000 }, (_, index) => `id.${index}`);
    this.driver = new StoreDriver(new MemoryJobStore(() => ids.pop() as string, { tables: this.tables }));
  }

  /** Creates a world with stored triggers, so that a life has due work from the start. */
  static async open(): Promise<World> {
    const world = new World();
    const { driver } = world;
    await driver.applyOne(storingCalendar(without('2026-01-02')));
    await driver.schedule(
      job('j1', { durable: true, disallowConcurrentExecution: true }),
      at('t1'),
      at('t2'),
      at('t3'),
    );
    await driver.schedule(job('j2', { durable: true, persistJobDataAfterExecution: true }), at('t4'), at('t5'));
    return world;
  }

  note(firing: TriggerFiring): void {
    this.firings.push(firing);
    this.fired.push(`${firing.trigger.key.group}.${firing.trigger.key.name}@${firing.scheduledFireTime}`);
  }
}

/** One operation of a random life. */
export interface Step {
  /** Shown in a counterexample. */
  readonly [fc.toStringMethod]: () => string;
  readonly run: (world: World) => Promise<unknown>;
}

const stepOf = (what: string, choice: unknown, run: Step['run']): Step => ({
  [fc.toStringMethod]: () => `${what} ${JSON.stringify(choice)}`,
  run,
});

const at = (name: string) => everyMinute(name, { key: triggerKey(name, 'g1') });

const jobName = fc.constantFrom('j1', 'j2', 'j3');
const triggerName = fc.constantFrom('t1', 't2', 't3', 't4', 't5', 't6');
const group = fc.constantFrom('g1', 'g2');
const matcher = fc.oneof(group.map(GroupMatcher.groupEquals), fc.constant(GroupMatcher.anyGroup()));

const aJob = fc
  .record({
    name: jobName,
    durable: fc.boolean(),
    disallowConcurrentExecution: fc.boolean(),
    jobType: fc.constantFrom('sample', 'foreign'),
    persistJobDataAfterExecution: fc.boolean(),
  })
  .map(({ name, ...fields }) => job(name, fields));

/** A trigger of any relevant type, mostly with a stored key and job. */
export const aTrigger: fc.Arbitrary<Trigger> = fc
  .record({
    make: fc.constantFrom<(name: string, fields: object) => Trigger>(once, everyMinute, everyNoon),
    name: triggerName,
    of: jobName,
    in: group,
    startTime: fc.integer({ min: -10, max: 10 }).map((minutes) => NOW + minutes * MINUTE),
    priority: fc.integer({ min: 4, max: 6 }),
    calendarName: fc.constantFrom(null, null, 'holidays'),
    ignores: fc.boolean(),
  })
  .map(({ make, name, of, in: inGroup, ignores, ...fields }) =>
    make(name, {
      ...fields,
      key: triggerKey(name, inGroup),
      jobKey: jobKey(of),
      misfireInstruction: ignores ? 'IGNORE_MISFIRE_POLICY' : 'SMART_POLICY',
    }),
  );

const ifExists = fc.constantFrom('fail', 'replace', 'keep');
const aKey = fc.tuple(triggerName, group).map(([name, inGroup]) => triggerKey(name, inGroup));
const aCalendar = fc.constantFrom(without(), without('2026-01-01'), without('2026-01-02'));

const changes = {
  storeJob: fc.record({ type: fc.constant('storeJob'), job: aJob, ifExists, requireTrigger: fc.boolean() }),
  storeTrigger: fc.record({
    type: fc.constant('storeTrigger'),
    trigger: aTrigger,
    ifExists,
    startTimeDefaulted: fc.boolean(),
  }),
  replaceTrigger: fc.record({
    type: fc.constant('replaceTrigger'),
    key: aKey,
    trigger: aTrigger,
    startTimeDefaulted: fc.boolean(),
  }),
  deleteTrigger: fc.record({ type: fc.constant('deleteTrigger'), key: aKey }),
  deleteJob: fc.record({ type: fc.constant('deleteJob'), key: jobName.map((name) => jobKey(name)) }),
  storeCalendar: fc.record({
    type: fc.constant('storeCalendar'),
    name: fc.constant('holidays'),
    calendar: aCalendar,
    ifExists,
    updateTriggers: fc.boolean(),
  }),
  deleteCalendar: fc.record({ type: fc.constant('deleteCalendar'), name: fc.constant('holidays') }),
  clear: fc.record({ type: fc.constant('clear') }),
};

const aChange = fc.oneof(
  { weight: 30, arbitrary: changes.storeTrigger },
  { weight: 10, arbitrary: changes.storeJob },
  { weight: 10, arbitrary: changes.replaceTrigger },
  { weight: 4, arbitrary: changes.deleteTrigger },
  { weight: 4, arbitrary: changes.storeCalendar },
  { weight: 2, arbitrary: changes.deleteJob },
  { weight: 2, arbitrary: changes.deleteCalendar },
  { weight: 1, arbitrary: changes.clear },
) as fc.Arbitrary<ScheduleChange>;

const which = fc.oneof(
  matcher,
  aKey.map((key) => [key]),
);

/** Applies changes; a refused set must have changed nothing. */
const applying = (change: fc.Arbitrary<ScheduleChange>): fc.Arbitrary<Step> =>
  fc.array(change, { minLength: 1, maxLength: 3 }).map((set) =>
    stepOf('apply', set, async ({ driver }) => {
      const before = await driver.everything();
      await driver.apply(...set).catch(async () => expect(await driver.everything()).toEqual(before));
    }),
  );

/** Registers triggers, new ones and stored ones. */
export const registering = applying(changes.storeTrigger as fc.Arbitrary<ScheduleChange>);

/** Reserves some triggers, or fires them if they are due. */
export const acquiring: fc.Arbitrary<Step> = fc
  .record({ maxCount: fc.integer({ min: 0, max: 4 }), fireWithin: fc.constantFrom(null, 0, MINUTE) })
  .map((fields) =>
    stepOf('acquire', fields, async (world) => {
      const { driver } = world;
      const result = await driver.store.acquireTriggers(
        driver.request({ ...fields, noLaterThan: driver.now + MINUTE }),
      );
      world.acquired.push(...result.acquired);
      for (const each of result.fired) if (each.status === 'fired') world.note(each.firing);
    }),
  );

/** Removes a random item from the list and returns it. */
const pickFrom = <T>(list: T[], pick: number): T | undefined => list.splice(pick % Math.max(1, list.length), 1)[0];

/** Fires a reservation. */
export const firing: fc.Arbitrary<Step> = fc.nat().map((pick) =>
  stepOf('fire', pick, async (world) => {
    const acquired = pickFrom(world.acquired, pick);
    if (acquired === undefined) return;
    const [result] = await world.driver.fire(acquired);
    if (result?.status === 'fired') world.note(result.firing);
  }),
);

const releasing: fc.Arbitrary<Step> = fc.nat().map((pick) =>
  stepOf('release', pick, async (world) => {
    const acquired = pickFrom(world.acquired, pick);
    if (acquired !== undefined) await world.driver.store.releaseTriggers([acquired]);
  }),
);

/** Completes an execution once. Half of them are retried and recorded. */
export const completing = (...instructions: readonly CompletionInstruction[]): fc.Arbitrary<Step> =>
  fc.tuple(fc.nat(), fc.constantFrom(...instructions), fc.boolean()).map(([pick, instruction, isRetried]) =>
    stepOf('complete', [pick, instruction, isRetried], async (world) => {
      const done = pickFrom(world.firings, pick);
      if (done === undefined) return;
      const { driver } = world;
      const next = isRetried ? { retry: retryOf(done, driver.now, MINUTE), run: ran(done.runId) } : {};
      expect((await driver.complete(done, instruction, { jobData: { pick }, ...next })).status).toBe('completed');
      expect((await driver.complete(done, instruction, next)).status).toBe('fenced');
    }),
  );

/** Moves the clock by some minutes. */
export const advancing = (min: number, max: number): fc.Arbitrary<Step> =>
  fc.integer({ min, max }).map((minutes) =>
    stepOf('advance', minutes, async ({ driver }) => {
      driver.now += minutes * MINUTE;
    }),
  );

const recovering = fc
  .integer({ min: 0, max: 3 })
  .map((maxCount) => stepOf('recover misfires', maxCount, ({ driver }) => driver.recoverMisfires(maxCount)));

const pausing = which.map((each) => stepOf('pause', each, ({ driver }) => driver.store.pauseTriggers(each)));

const resuming = which.map((each) =>
  stepOf('resume', each, ({ driver }) => driver.store.resumeTriggers(each, driver.options)),
);

const resetting = aKey.map((key) => stepOf('reset', key, ({ driver }) => driver.store.resetTriggersFromError([key])));

const anyStep = fc.oneof(
  { weight: 8, arbitrary: applying(aChange) },
  { weight: 8, arbitrary: acquiring },
  { weight: 6, arbitrary: firing },
  { weight: 2, arbitrary: releasing },
  {
    weight: 10,
    arbitrary: completing(
      'NOOP',
      'DELETE_TRIGGER',
      'SET_TRIGGER_COMPLETE',
      'SET_TRIGGER_ERROR',
      'SET_ALL_JOB_TRIGGERS_COMPLETE',
      'SET_ALL_JOB_TRIGGERS_ERROR',
    ),
  },
  { weight: 8, arbitrary: advancing(-1, 2) },
  { weight: 2, arbitrary: recovering },
  { weight: 2, arbitrary: pausing },
  { weight: 4, arbitrary: resuming },
  { weight: 2, arbitrary: resetting },
);

/** Long enough for combinations of states. */
export const lifeOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 15, maxLength: 60, size: 'max' });

/** All operations on a store. */
export const anyLife = lifeOf(anyStep);

/** Runs a life in a world that is not empty. */
export async function live(steps: readonly Step[]): Promise<World> {
  const world = await World.open();
  for (const step of steps) await step.run(world);
  return world;
}
