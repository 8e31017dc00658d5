import { ManualClock } from '../../../src/base/manual-clock';
import { triggerKey } from '../../../src/domain/keys';
import type { ScheduleChange, ScheduleOutcome } from '../../../src/domain/schedule-change';
import type { Trigger } from '../../../src/domain/trigger';
import { JobRegistry } from '../../../src/engine/job-registry';
import type { EventInput } from '../../../src/scheduler/schedule-events';
import { ScheduleWriter, type ScheduleWriterParts } from '../../../src/scheduler/schedule-writer';
import { anEngine } from '../engine/harness';
import { aFiring, aJobDetail, aTrigger } from '../engine/samples';

type PromptFiring = NonNullable<ScheduleWriterParts['promptFiring']>;

const NOW = 1_000;
const OPTIONS = { now: NOW, misfireThreshold: 5_000 };

const storing = (name: string, fields: Partial<Trigger> = {}): ScheduleChange => ({
  type: 'storeTrigger',
  trigger: { ...aTrigger({ key: triggerKey(name), startTime: NOW }), ...fields } as Trigger,
  ifExists: 'fail',
  startTimeDefaulted: false,
});
const due = (count: number) => Array.from({ length: count }, (_, index) => storing(`t${index}`));
const JOB: ScheduleChange = { type: 'storeJob', job: aJobDetail(), ifExists: 'fail', requireTrigger: false };

const created: ScheduleOutcome = { status: 'created', nextFireTime: NOW, deletedTriggers: [], deletedJobs: [] };
const outcomesOf = (changes: readonly ScheduleChange[]) => changes.map(() => created);

interface SceneOptions {
  readonly promptFiring?: PromptFiring | null;
  readonly applySchedule?: ScheduleWriterParts['store']['applySchedule'];
  readonly announce?: (event: EventInput) => void;
  readonly onExpected?: ScheduleWriterParts['onExpected'];
  readonly firesSoon?: ScheduleWriterParts['firesSoon'];
}

/** A writer whose store and engine record their calls. */
function scene(options: SceneOptions = {}) {
  const calls: string[] = [];
  const firing = aFiring();
  const noting: PromptFiring = {
    offer(count) {
      calls.push(`offer ${count}`);
      return count === 0 ? null : { maxCount: count, jobTypes: ['job'] };
    },
    dispatchReserved: ({ maxCount }, fired) => void calls.push(`hand on ${fired.length} of ${maxCount}`),
  };
  const writer = new ScheduleWriter({
    tracing: { current: null },
    followers: null,
    largeJobs: null,
    hasOlderData: null,
    declaring: { onDeclaredEdit: 'override' },
    store: {
      getJobs: () => Promise.reject(new Error('No schema asks for stored jobs.')),
      changedElsewhere: () => Promise.reject(new Error('No caller has a transaction.')),
      async applySchedule(changes, given) {
        expect(given).toMatchObject(OPTIONS);
        calls.push(given.fireNow ? `apply and fire ${changes.length}` : `apply ${changes.length}`);
        if (options.applySchedule !== undefined) return options.applySchedule(changes, given);
        return { outcomes: outcomesOf(changes), fired: given.fireNow ? [{ status: 'fired', firing }] : [] };
      },
    },
    promptFiring: options.promptFiring === undefined ? noting : options.promptFiring,
    clock: new ManualClock(NOW),
    whenDeletedHaveStarted: null,
    misfireThreshold: OPTIONS.misfireThreshold,
    jobTypes: { unregisteredOf: () => [], assertRunElsewhere: async () => undefined },
    registry: new JobRegistry(),
    announce: options.announce ?? (({ type }) => void calls.push(type)),
    firesSoon: options.firesSoon ?? null,
    onExpected: options.onExpected ?? (() => undefined),
    lifecycle: { assertUsable: () => undefined, scheduled: () => undefined },
  });
  return { writer, calls };
}

describe('the schedule writer', () => {
  it('applies a large set in small portions if a trigger is due soon, and in large portions otherwise', async () => {
    const set = Array.from(
      { length: 2_400 },
      (_, index): ScheduleChange => ({ type: 'deleteTrigger', key: triggerKey(`t${index}`) }),
    );
    const portionsWhere = async (firesSoon: boolean) => {
      const { writer, calls } = scene({ firesSoon: async () => firesSoon });
      await writer.apply(set);
      return calls.flatMap((call) => (call.startsWith('apply') ? [Number(call.split(' ').at(-1))] : []));
    };
    expect(await portionsWhere(true)).toEqual([200, 400, 800, 1_000]);
    expect(await portionsWhere(false)).toEqual([2_000, 400]);
  });

  it('reserves workers for due triggers, publishes the change, and then dispatches the firings', async () => {
    const { writer, calls } = scene();
    const outcomes = await writer.apply([JOB, storing('now'), storing('past', { startTime: 1 }), storing('then')]);
    expect(outcomes).toEqual([created, created, created, created]);
    expect(calls).toEqual([
      'offer 3',
      'apply and fire 4',
      'jobAdded',
      'jobScheduled',
      'jobScheduled',
      'jobScheduled',
      'hand on 1 of 3',
    ]);
  });

  it('releases the reserved workers if the change fails', async () => {
    const refused = new Error('refused');
    const { writer, calls } = scene({ applySchedule: () => Promise.reject(refused) });
    await expect(writer.applyOne(storing('now'))).rejects.toBe(refused);
    expect(calls).toEqual(['offer 1', 'apply and fire 1', 'hand on 0 of 1']);
  });

  it('does not reject after the commit, but completes its work and publishes the failures', async () => {
    const failures: EventInput[] = [];
    const { writer, calls } = scene({
      applySchedule: async (changes) => ({
        // not an array, so that listing the deleted jobs fails
        outcomes: changes.map(() => ({ ...created, deletedJobs: null as never })),
        fired: [{ status: 'fired', firing: aFiring() }],
      }),
      announce: (event) => void failures.push(event),
      onExpected: () => {
        throw new Error('deaf');
      },
    });
    const expecting = storing('now', { policy: { mustSucceedWithin: 1_000 } });
    await expect(writer.apply([expecting, storing('then')])).resolves.toHaveLength(2);
    expect(failures.map((event) => (event.type === 'schedulerError' ? event.during : event.type))).toEqual([
      'reporting a change of the schedule',
      'reporting a change of the schedule',
      'recording expectations (mustSucceedWithin)',
    ]);
    expect(calls.at(-1)).toBe('hand on 1 of 2');
  });

  it('fires up to ten new triggers in the transaction that stores them', async () => {
    const ten = scene();
    await ten.writer.apply(due(10));
    expect(ten.calls.slice(0, 2)).toEqual(['offer 10', 'apply and fire 10']);
    const eleven = scene();
    await eleven.writer.apply(due(11));
    expect(eleven.calls[0]).toBe('apply 11');
  });

  it.each<[string, readonly ScheduleChange[]]>([
    ['store a trigger that starts later', [storing('later', { startTime: NOW + 1 })]],
    ['only store a job', [JOB]],
    [
      'replace another trigger',
      [{ type: 'replaceTrigger', key: triggerKey('old'), trigger: aTrigger(), startTimeDefaulted: false }],
    ],
  ])('reserves no worker for changes that %s', async (_, changes) => {
    const { writer, calls } = scene();
    await writer.apply(changes);
    expect(calls.slice(0, 2)).toEqual(['offer 0', 'apply 1']);
  });

  it('only stores triggers if there are no free workers or prompt firing is off', async () => {
    const dispatchReserved = jest.fn();
    for (const promptFiring of [null, { offer: () => null, dispatchReserved }]) {
      const { writer, calls } = scene({ promptFiring });
      await writer.applyOne(storing('now'));
      expect(calls).toEqual(['apply 1', 'jobScheduled']);
    }
    expect(dispatchReserved).not.toHaveBeenCalled();
  });

  it('resolves and publishes the change before the job starts', async () => {
    const order: string[] = [];
    const { engine, settle } = await anEngine({ jobs: { job: () => void order.push('job') } });
    await engine.start();
    await settle();
    const { writer } = scene({ promptFiring: engine, announce: ({ type }) => void order.push(type) });
    await writer.applyOne(storing('now'));
    order.push('done');
    await settle();
    expect(order).toEqual(['jobScheduled', 'done', 'job']);
    await engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });
});
