import { type EpochMs, earliestOf } from '../../base/clock';
import { applyChanges } from '../../domain/apply-changes';
import type { Calendar, CalendarData } from '../../domain/calendars/calendar';
import type { ChainLink } from '../../domain/chain';
import type { Declaration, DeclarationTarget, DeclaredKeys } from '../../domain/declaration';
import { type DeletedRun, endsOfDeleted, namesOfRuns, RunsByOrigin, recordOfDeleted } from '../../domain/deleted-runs';
import type {
  EditableSchedule,
  EditedCalendar,
  EditedJob,
  EditedTrigger,
  MissedFireTime,
} from '../../domain/editable-schedule';
import { type ExpectationOwner, ownerText, type StoredOwner } from '../../domain/expectation';
import type { JobDetail } from '../../domain/job-detail';
import { formatKey, type JobKey, keyText, type TriggerKey } from '../../domain/keys';
import { isGroupOfFurtherRuns } from '../../domain/occurrence';
import { pauseText } from '../../domain/pause';
import { type PlannedChange, planChanges } from '../../domain/plan-changes';
import { changesRate, withRateOf } from '../../domain/rate-changes';
import type { RunName } from '../../domain/run';
import type { ChangeSet } from '../../domain/schedule-change';
import type { Trigger } from '../../domain/trigger';
import type { TransitionContext, TriggerState } from '../../domain/trigger-state';
import type { AppliedSchedule, ApplyOptions } from '../job-store';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import { saveExpectations } from './expectations';
import { endLostParts, startFollowers } from './firings';
import type { MemoryTables } from './memory-tables';
import { forgetFreed } from './pause-and-resume';
import { recallTurns } from './rate-turns';

/** Applies the changes, all or none. Ignores `fireNow`: without a disk to flush, firing in the same transaction saves nothing. */
export function applySchedule(
  tables: MemoryTables,
  changes: ChangeSet,
  options: ApplyOptions & RunRecording,
): AppliedSchedule {
  const edited = new EditedTables(tables);
  const outcomes = tables.atomically(() => {
    const applied = applyChanges(edited, changes, options);
    edited.renewRates();
    forgetFreed(tables, edited.leftJobs);
    return applied;
  });
  saveExpectations(tables, edited.owners(), options.now);
  for (const missed of edited.missed) options.onMissed(missed);
  const endedRuns = endDeletedRuns(tables, edited.deletedRuns, options);
  const endedOccurrences = endLostParts(tables, edited.jobsOfFurtherRuns, options.now);
  return { outcomes, fired: [], endedOccurrences, endedRuns };
}

interface RunRecording {
  readonly newRunId: () => string;
  readonly instanceId: string;
  /** Records a due fire time that does not fire any more. */
  readonly onMissed: (missed: MissedFireTime) => void;
}

/** Records deleted waiting runs as ended, and starts the triggers that wait for their ends. */
function endDeletedRuns(
  tables: MemoryTables,
  deleted: readonly DeletedRun[],
  { newRunId, instanceId, now }: Omit<RunRecording, 'onMissed'> & Pick<ApplyOptions, 'now'>,
): readonly RunName[] {
  if (deleted.length === 0) return [];
  const runs = deleted.map((each) => recordOfDeleted(newRunId(), each, { instanceId, now }));
  for (const run of runs) tables.runs.add(run);
  startFollowers(tables, endsOfDeleted(deleted, runs));
  return namesOfRuns(runs);
}

/** Plans the changes by applying and then undoing them. */
export function planSchedule(
  tables: MemoryTables,
  changes: ChangeSet,
  options: ApplyOptions,
): readonly PlannedChange[] {
  const takeBack = new Error('planned, then rolled back');
  let planned: readonly PlannedChange[] = [];
  try {
    tables.atomically(() => {
      planned = planChanges(new EditedTables(tables), changes, options);
      throw takeBack;
    });
  } catch (error) {
    if (error !== takeBack) throw error;
  }
  return planned;
}

/** Editable view of the tables for one change set. Also records the updates that must follow the change set. */
class EditedTables implements EditableSchedule {
  readonly #tables: MemoryTables;
  /** Jobs and triggers that the change set stores with the setting `mustSucceedWithin`, each with its previous value. */
  readonly #put = new Map<string, ExpectationOwner & Pick<StoredOwner, 'before'>>();
  /** Jobs that lost a paused trigger because the change set deleted or resumed it, or moved it to another job. */
  readonly leftJobs: JobKey[] = [];
  /** Jobs of deleted triggers for further runs, such as retries. Some of these runs may be parts (shards) of an occurrence. */
  readonly jobsOfFurtherRuns: JobKey[] = [];
  readonly deletedRuns: DeletedRun[] = [];
  readonly missed: MissedFireTime[] = [];

  #runsByOrigin: RunsByOrigin | null = null;

  /** Jobs and triggers whose rate limit the change set modifies. */
  readonly #jobsOfRates = new Map<string, JobKey>();
  readonly #triggersOfRates: Trigger[] = [];

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  /** Applies changed rate limits. Firings that such a limit has deferred get the new limit, and are reset to their original due times. */
  renewRates(): void {
    for (const trigger of this.#triggersOfRates) {
      for (const entry of this.#tables.job(trigger.jobKey)?.triggers.toArray() ?? []) {
        const renewed = withRateOf(entry.trigger, trigger);
        if (renewed !== null) this.#tables.updateTrigger(entry, renewed, stateOf(entry));
      }
      this.#jobsOfRates.set(keyText(trigger.jobKey), trigger.jobKey);
    }
    for (const key of this.#jobsOfRates.values()) recallTurns(this.#tables, key);
  }

  job(key: JobKey): EditedJob | null {
    const job = this.#tables.job(key);
    return job && { key, detail: job.detail, durable: job.detail.durable, triggerCount: job.triggers.size };
  }

  trigger(key: TriggerKey): EditedTrigger | null {
    const entry = this.#tables.trigger(key);
    return entry && edited(entry);
  }

  calendar(name: string): EditedCalendar | null {
    return this.#tables.calendars.get(name) ?? null;
  }

  jobsIn(isSelected: (group: string) => boolean): readonly JobKey[] {
    const { jobGroups } = this.#tables;
    return jobGroups.membersOf(jobGroups.names(isSelected)).map(({ detail }) => detail.key);
  }

  triggersIn(isSelected: (group: string) => boolean): readonly EditedTrigger[] {
    const { triggerGroups } = this.#tables;
    return triggerGroups.membersOf(triggerGroups.names(isSelected)).map(edited);
  }

  triggersOf(job: JobKey): readonly TriggerKey[] {
    return (this.#tables.job(job)?.triggers.toArray() ?? []).map(({ trigger }) => trigger.key);
  }

  usersOf(calendar: string): readonly EditedTrigger[] {
    return [...(this.#tables.calendars.get(calendar)?.triggers ?? [])].map(edited);
  }

  runsByOrigin(): RunsByOrigin {
    const { triggerGroups } = this.#tables;
    const furtherRuns = () => triggerGroups.membersOf(triggerGroups.names(isGroupOfFurtherRuns));
    this.#runsByOrigin ??= new RunsByOrigin(furtherRuns().map(({ trigger }) => trigger));
    return this.#runsByOrigin;
  }

  endRun(run: DeletedRun): void {
    this.deletedRuns.push(run);
  }

  missFireTime(missed: MissedFireTime): void {
    this.missed.push(missed);
  }

  links(): readonly ChainLink[] {
    return this.#tables.followers.links();
  }

  transitionContextOf(group: string, job: JobKey): TransitionContext {
    return this.#tables.contextOf(group, this.#storedJob(job));
  }

  putJob(job: JobDetail): void {
    const stored = this.#tables.job(job.key);
    this.#note({ jobKey: job.key, triggerKey: null }, stored?.detail ?? null, job);
    if (changesRate({ before: stored?.detail ?? null, after: job })) this.#jobsOfRates.set(keyText(job.key), job.key);
    if (stored === null) this.#tables.insertJob(job);
    else this.#tables.replaceJob(stored, job);
  }

  removeJob(key: JobKey): void {
    this.#tables.removeJob(this.#storedJob(key));
  }

  putTrigger(trigger: Trigger, state: TriggerState): void {
    const job = this.#storedJob(trigger.jobKey);
    const entry = this.#tables.trigger(trigger.key);
    if (isGroupOfFurtherRuns(trigger.key.group)) this.#runsByOrigin = null;
    this.#note({ jobKey: trigger.jobKey, triggerKey: trigger.key }, entry?.trigger ?? null, trigger);
    if (changesRate({ before: entry?.trigger ?? null, after: trigger })) this.#triggersOfRates.push(trigger);
    if (entry === null) this.#tables.insertTrigger(trigger, job, state);
    else this.#replace(entry, trigger, job, state);
  }

  removeTrigger(key: TriggerKey): void {
    const entry = this.#tables.trigger(key);
    if (entry === null) return;
    if (entry.state === 'PAUSED') this.leftJobs.push(entry.job.detail.key);
    if (isGroupOfFurtherRuns(key.group)) this.jobsOfFurtherRuns.push(entry.job.detail.key);
    this.#tables.removeTrigger(entry);
  }

  putCalendar(name: string, data: CalendarData, calendar: Calendar): void {
    this.#tables.putCalendar(name, { calendar, data });
  }

  removeCalendar(name: string): void {
    this.#tables.removeCalendar(name);
  }

  pauseGroup(group: string): void {
    this.#tables.pauseGroup(group);
  }

  movePause(from: TriggerKey, to: TriggerKey): void {
    const pause = this.#tables.pauses.get(pauseText({ kind: 'trigger', key: from }));
    if (pause !== undefined) this.#tables.explain({ kind: 'trigger', key: to }, pause);
  }

  clearRest(): void {
    for (const name of [...this.#tables.calendars.keys()]) this.#tables.removeCalendar(name);
    for (const group of [...this.#tables.pausedGroups]) this.#tables.unpauseGroup(group);
    for (const { target } of [...this.#tables.pauses.values()]) this.#tables.explain(target, null);
    this.#tables.clearOccurrences();
  }

  declaration(target: DeclarationTarget): Declaration | null {
    return this.#tables.declarationOf(target);
  }

  declare(target: DeclarationTarget, declaration: Declaration | null): void {
    this.#tables.declare(target, declaration);
  }

  forgetDeclarations(isSelected: (declared: DeclaredKeys) => boolean): void {
    for (const { target, declaration } of this.#tables.declared.values())
      if (isSelected({ target, jobKey: declaration.jobKey })) this.#tables.declare(target, null);
  }

  /** Returns the jobs and triggers with an expectation, each with its `mustSucceedWithin` before and after the change set and its first fire time. */
  owners(): readonly StoredOwner[] {
    return [...this.#put.values()].flatMap(({ before, jobKey, triggerKey }): StoredOwner[] => {
      const job = this.#tables.job(jobKey);
      const trigger = triggerKey === null ? null : this.#tables.trigger(triggerKey);
      const after = (triggerKey === null ? job?.detail : trigger?.trigger)?.policy?.mustSucceedWithin;
      const triggers = trigger === null ? (job?.triggers.toArray() ?? []) : [trigger];
      return [{ before, jobKey, triggerKey, after, firstTime: firstTimeOf(triggers) }];
    });
  }

  #note(owner: ExpectationOwner, before: HasPolicy | null, after: HasPolicy): void {
    if (after.policy?.mustSucceedWithin === undefined) return;
    const text = ownerText(owner);
    if (this.#put.has(text)) return;
    this.#put.set(text, { ...owner, before: before === null ? null : before.policy?.mustSucceedWithin });
  }

  #replace(entry: TriggerEntry, trigger: Trigger, job: JobEntry, state: TriggerState): void {
    const { state: before, job: oldJob } = entry;
    this.#tables.replaceTrigger(entry, trigger, job, state);
    if (before !== 'PAUSED' || (entry.state === 'PAUSED' && job === oldJob)) return;
    this.leftJobs.push(oldJob.detail.key);
    if (entry.state !== 'PAUSED') this.#tables.explain({ kind: 'trigger', key: trigger.key }, null);
  }

  #storedJob(key: JobKey): JobEntry {
    const job = this.#tables.job(key);
    if (job === null) throw new TypeError(`Expected the job '${formatKey(key)}' to be stored.`);
    return job;
  }
}

type HasPolicy = Pick<JobDetail, 'policy'>;

/** Returns the earliest fire time of the triggers that have never fired; null if there is none. */
function firstTimeOf(triggers: readonly TriggerEntry[]): EpochMs | null {
  const isNew = ({ trigger }: TriggerEntry) => trigger.previousFireTime === null;
  return earliestOf(triggers.filter(isNew).map(({ trigger }) => trigger.nextFireTime)) ?? null;
}

function edited(entry: TriggerEntry): EditedTrigger {
  const { trigger, job } = entry;
  const { nextFireTime, previousFireTime } = trigger;
  return { key: trigger.key, jobKey: job.detail.key, state: stateOf(entry), trigger, nextFireTime, previousFireTime };
}
