import type { CompletionInstruction } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { NodeRecord } from '../../../src/store/cluster-store';
import { after } from '../../conformance/areas/chains';
import { everyMinute, HOUR, job, MINUTE, NOW, once, SECOND, without } from '../../conformance/samples';
import { storing, storingCalendar } from '../../conformance/store-driver';
import { changed, GROUP, keyOf, LATE, RECOVERY, type Scene } from './scene';

/** Another change of the schedule while a train is under way. */
export interface TrainEvent {
  /** Completes the sentence "A train and …". */
  readonly name: string;
  /** Runs before the train begins. */
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  readonly happen: (scene: Scene) => Promise<unknown>;
  /** True if it takes the lock more than once, so that it cannot wait in the queue as a whole. */
  readonly isLong?: true;
  /** True if it only adds. A train that was decided before may then be sent after it: a firing order across nodes is not promised. */
  readonly isAddition?: true;
  /** True if it stores a trigger again, which then fires again for the same time. */
  readonly storesAgain?: boolean;
  /** True if it ends the incarnation of the train's node. */
  readonly fences?: true;
}

/** A train without a concurrent event. */
export const NOTHING: TrainEvent = { name: 'nothing else', happen: async () => undefined };

const applying = (name: string, ...changes: readonly ScheduleChange[]): TrainEvent => ({
  name,
  happen: ({ peer }) => peer.apply(...changes),
});

const replacing = (name: string, trigger: ReturnType<typeof changed>): TrainEvent =>
  applying(name, { type: 'storeTrigger', trigger, ifExists: 'replace', startTimeDefaulted: false });

const replacingJob = (name: string, ...[of, fields]: Parameters<typeof job>): TrainEvent =>
  applying(name, { type: 'storeJob', job: job(of, fields), ifExists: 'replace', requireTrigger: false });

const EDITS: readonly TrainEvent[] = [
  replacing('a reschedule to a later time', changed('due', { startTime: NOW + HOUR })),
  replacing('a reschedule that keeps the due time', changed('due', { repeatInterval: HOUR })),
  applying('a reschedule under another key', {
    type: 'replaceTrigger',
    key: keyOf('due'),
    trigger: changed('due', { key: triggerKey('renamed', GROUP) }),
    startTimeDefaulted: false,
  }),
  replacing('an edit of the trigger’s data', changed('due', { data: { a: 2 } })),
  replacing('an edit of the priority', changed('due', { priority: 9 })),
  replacing('another job for the trigger', changed('due', { jobKey: jobKey('spare') })),
  replacing('an edit of a trigger whose job must not overlap', changed('serial 1', { startTime: NOW + HOUR })),
  replacingJob('an edit of the job’s data', 'plain', { requestsRecovery: true, data: { of: 'edit' } }),
  replacingJob('a job that must not overlap from now on', 'plain', { disallowConcurrentExecution: true }),
  replacingJob('a job that may overlap from now on', 'serial', { requestsRecovery: true }),
  replacingJob('a job that gets a limit', 'plain', { policy: { concurrency: { key: 'plain', limit: 1 } } }),
  replacingJob('a job of a type that the node does not run', 'plain', { jobType: 'elsewhere' }),
  applying('a deleted trigger', { type: 'deleteTrigger', key: keyOf('due') }),
  applying('a deleted trigger whose job must not overlap', { type: 'deleteTrigger', key: keyOf('serial 1') }),
  applying('a deleted job', { type: 'deleteJob', key: jobKey('plain') }),
  applying('a deleted job that must not overlap', { type: 'deleteJob', key: jobKey('serial') }),
  {
    ...applying(
      'a trigger that is deleted and stored again',
      { type: 'deleteTrigger', key: keyOf('due') },
      storing(changed('due', {})),
    ),
    storesAgain: true,
  },
  applying('a cleared schedule', { type: 'clear' }),
  applying('a calendar that excludes other days', storingCalendar(without('2026-01-03'), 'replace')),
  applying('a calendar that does not move triggers', {
    ...storingCalendar(without('2026-01-03'), 'replace'),
    updateTriggers: false,
  }),
];

const adding = (name: string, fields: Parameters<typeof everyMinute>[1]): TrainEvent => ({
  ...applying(name, storing(everyMinute('added', fields))),
  isAddition: true,
});

const ADDITIONS: readonly TrainEvent[] = [
  adding('the addition of a due trigger', { jobKey: jobKey('plain') }),
  adding('the addition of a due trigger whose job must not overlap', { jobKey: jobKey('serial'), priority: 9 }),
  applying(
    'the addition of a trigger that waits for the job',
    { type: 'storeJob', job: job('follower'), ifExists: 'fail', requireTrigger: false },
    storing(after('follower', ['plain'])),
  ),
];

const resuming = (name: string, which: Parameters<Scene['peer']['store']['pauseTriggers']>[0]): TrainEvent => ({
  name,
  prepare: ({ peer }) => peer.store.pauseTriggers(which),
  happen: ({ peer }) => peer.store.resumeTriggers(which, peer.options),
});

const PAUSES: readonly TrainEvent[] = [
  { name: 'a paused trigger', happen: ({ peer }) => peer.store.pauseTriggers([keyOf('due')]) },
  {
    name: 'a paused trigger whose job must not overlap',
    happen: ({ peer }) => peer.store.pauseTriggers([keyOf('serial 1')]),
  },
  { name: 'a paused sibling', happen: ({ peer }) => peer.store.pauseTriggers([keyOf('serial 2')]) },
  { name: 'a paused group', happen: ({ peer }) => peer.store.pauseTriggers(GroupMatcher.groupEquals(GROUP)) },
  { name: 'a paused job', happen: ({ peer }) => peer.store.pauseJobs([jobKey('serial')]) },
  { name: 'a pause of everything', happen: ({ peer }) => peer.store.pauseTriggers(GroupMatcher.anyGroup()) },
  resuming('a resumed trigger', [keyOf('due')]),
  resuming('a resumed trigger whose job must not overlap', [keyOf('serial 1')]),
  resuming('a resumed group', GroupMatcher.groupEquals(GROUP)),
];

/** A run of a job, begun by the peer a second before everything else is due. */
const begun =
  (of: string) =>
  async ({ peer, prepared }: Scene) => {
    await peer.apply(storing(once('early', { jobKey: jobKey(of), startTime: NOW - SECOND })));
    peer.now = LATE - SECOND;
    prepared.set('begun', await peer.fireOne({ noLaterThan: NOW - SECOND }));
    peer.now = LATE;
  };

const completing = (of: string, instruction: CompletionInstruction): TrainEvent => ({
  name: `the end of a run of job ${of}: ${instruction}`,
  prepare: begun(of),
  happen: ({ peer, prepared }) => {
    const firing = prepared.get('begun') as TriggerFiring;
    const jobData = of === 'kept' ? { jobData: { runs: 7 } } : {};
    return peer.store.completeTriggers([{ firing, instruction, ...jobData }]);
  },
});

const RUNS: readonly TrainEvent[] = [
  { name: 'another train', happen: async ({ peer, prepared }) => prepared.set('fired', await peer.fireDue()) },
  { name: 'a reservation under the lock', happen: ({ peer }) => peer.acquire() },
  completing('plain', 'DELETE_TRIGGER'),
  completing('serial', 'DELETE_TRIGGER'),
  completing('kept', 'DELETE_TRIGGER'),
  completing('plain', 'SET_ALL_JOB_TRIGGERS_COMPLETE'),
  completing('serial', 'SET_ALL_JOB_TRIGGERS_ERROR'),
  {
    name: 'a whole run of the job, which stores its data',
    isLong: true,
    happen: async ({ peer }) => {
      await peer.apply(storing(once('now', { jobKey: jobKey('kept'), startTime: NOW - SECOND })));
      peer.now = LATE - SECOND;
      // Fires nothing if a run of the train blocks the job.
      await peer.end(await peer.fireDue());
      peer.now = LATE;
    },
  },
  {
    name: 'misfires that a node with a later clock handles',
    happen: async ({ peer }) => {
      peer.now = NOW + 5 * MINUTE + SECOND;
      await peer.recoverMisfires();
      peer.now = LATE;
    },
  },
];

const FENCES: readonly TrainEvent[] = [
  {
    name: 'the recovery of its node by a peer',
    fences: true,
    prepare: async ({ mine, prepared }) => prepared.set('record', await mine.record()),
    happen: ({ peer, prepared }) => peer.stores.cluster.recoverInstance(prepared.get('record') as NodeRecord, RECOVERY),
  },
  {
    name: 'another process that joins under the same id',
    fences: true,
    prepare: async ({ mine, prepared }) => prepared.set('record', await mine.record()),
    happen: async ({ another, prepared }) => {
      const { stores, identity } = another('mine', 'a later epoch');
      await stores.cluster.join(identity, prepared.get('record') as NodeRecord, RECOVERY);
    },
  },
];

/** Events caused by nodes and programs of quartz-ts. */
export const EVENTS: readonly TrainEvent[] = [...EDITS, ...ADDITIONS, ...PAUSES, ...RUNS, ...FENCES];
