import { type EpochMs, earliestOf } from '../../base/clock';
import { applyChanges } from '../../domain/apply-changes';
import type { Calendar, CalendarData } from '../../domain/calendars/calendar';
import type { ChainLink } from '../../domain/chain';
import type { Declaration, DeclaredKeys } from '../../domain/declaration';
import type { EditableSchedule, EditedCalendar, EditedJob, EditedTrigger } from '../../domain/editable-schedule';
import { type ExpectationOwner, ownerText, type StoredOwner } from '../../domain/expectation';
import type { JobDetail } from '../../domain/job-detail';
import { type GroupMatcher, groupsOf, type JobKey, keyText, matchesGroup, type TriggerKey } from '../../domain/keys';
import {
  elapsedPauses,
  isEndedBy,
  isHeld,
  type PauseExplanation,
  type PauseTarget,
  targetsOf,
} from '../../domain/pause';
import type { ScheduleChange } from '../../domain/schedule-change';
import { firesNoMore, type Trigger } from '../../domain/trigger';
import { nextState, type TransitionContext, type TriggerState } from '../../domain/trigger-state';
import {
  ALL_GROUPS_PAUSED,
  type AppliedSchedule,
  type ApplyOptions,
  type EndedPauses,
  isKeys,
  type Which,
} from '../job-store';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import { saveExpectations } from './expectations';
import { type RecoveryClock, recoverInto } from './firings';
import type { MemoryTables } from './memory-tables';

/** Makes the changes, all or none. Fires nothing: a transaction costs nothing here, so there is none to save. */
export function applySchedule(
  tables: MemoryTables,
  changes: readonly ScheduleChange[],
  options: ApplyOptions,
): AppliedSchedule {
  const edited = new EditedTables(tables);
  const outcomes = tables.atomically(() => applyChanges(edited, changes, options));
  saveExpectations(tables, edited.owners(), options.now);
  return { outcomes, fired: [] };
}

/** Pauses triggers, or groups of them with what will be added to them. The names of the groups. */
export function pauseTriggers(
  tables: MemoryTables,
  which: Which<TriggerKey>,
  explanation: PauseExplanation | null,
): readonly string[] {
  if (isKeys(which)) {
    const found = triggersOf(tables, which);
    for (const entry of found) {
      tables.move(entry, 'pause');
      if (entry.state === 'PAUSED') tables.explain({ kind: 'trigger', key: entry.trigger.key }, explanation);
    }
    return groupsOf(found.map(({ trigger }) => trigger.key));
  }
  // A group that has no trigger yet can only be meant by its name.
  const groups = which.operator === 'equals' ? [which.value] : tables.triggerGroups.matching(which);
  for (const group of groups) {
    tables.pauseGroup(group);
    for (const entry of tables.triggerGroups.members(group)) tables.move(entry, 'pause');
  }
  if (which.operator === 'any') tables.pauseGroup(ALL_GROUPS_PAUSED);
  if (which.operator === 'any' || groups.length > 0) tables.explain({ kind: 'triggers', matcher: which }, explanation);
  return groups;
}

/** Undoes `pauseTriggers`. The names of the groups. */
export function resumeTriggers(
  tables: MemoryTables,
  which: Which<TriggerKey>,
  options: RecoveryClock,
): readonly string[] {
  if (isKeys(which)) {
    const found = triggersOf(tables, which);
    for (const entry of found) resume(tables, entry, options);
    forgetEnded(tables, targetsOf('trigger', which), found);
    return groupsOf(found.map(({ trigger }) => trigger.key));
  }
  const paused = [...tables.pausedGroups].filter((group) => isResumedBy(which, group));
  for (const group of paused) tables.unpauseGroup(group);
  const present = tables.triggerGroups.matching(which);
  for (const group of present) {
    for (const entry of tables.triggerGroups.members(group)) resume(tables, entry, options);
  }
  forgetEnded(tables, targetsOf('trigger', which), []);
  return [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
}

/** Pauses the triggers the jobs have now. The names of the job groups. */
export function pauseJobs(
  tables: MemoryTables,
  which: Which<JobKey>,
  explanation: PauseExplanation | null,
): readonly string[] {
  const jobs = jobsOf(tables, which);
  for (const job of jobs) for (const entry of job.triggers.toArray()) tables.move(entry, 'pause');
  const targets = isKeys(which) ? targetsOf('job', keysOf(jobs.filter(isPausedJob))) : targetsOf('job', which);
  if (jobs.some(isPausedJob)) for (const target of targets) tables.explain(target, explanation);
  return groupsOf(keysOf(jobs));
}

/** Resumes the triggers of the jobs. The names of the job groups. */
export function resumeJobs(tables: MemoryTables, which: Which<JobKey>, options: RecoveryClock): readonly string[] {
  const jobs = jobsOf(tables, which);
  const triggers = jobs.flatMap((job) => job.triggers.toArray());
  for (const entry of triggers) resume(tables, entry, options);
  forgetEnded(tables, targetsOf('job', which), triggers);
  return groupsOf(keysOf(jobs));
}

/** Resumes what was paused until now, except for what another pause holds. */
export function endPauses(tables: MemoryTables, options: RecoveryClock): EndedPauses {
  const { over, standing, nextEnd } = elapsedPauses([...tables.pauses.values()], options.now);
  for (const { target } of over) {
    tables.explain(target, null);
    if (target.kind === 'triggers') {
      const kept = standing.flatMap((pause) => (pause.target.kind === 'triggers' ? [pause.target.matcher] : []));
      const isKept = (group: string) => kept.some((matcher) => isResumedBy(matcher, group));
      const paused = [...tables.pausedGroups].filter((group) => isResumedBy(target.matcher, group) && !isKept(group));
      for (const group of paused) tables.unpauseGroup(group);
    }
    for (const entry of triggersPausedBy(tables, target)) {
      const { key } = entry.trigger;
      const isPausedStill = isHeld({ key, jobKey: entry.job.detail.key }, standing) || tables.isGroupPaused(key.group);
      if (!isPausedStill) resume(tables, entry, options);
    }
  }
  return { ended: over, nextEnd };
}

function triggersPausedBy(tables: MemoryTables, target: PauseTarget): readonly TriggerEntry[] {
  switch (target.kind) {
    case 'trigger':
      return triggersOf(tables, [target.key]);
    case 'triggers':
      return tables.triggerGroups.matching(target.matcher).flatMap((group) => tables.triggerGroups.members(group));
    case 'job':
      return jobsOf(tables, [target.key]).flatMap((job) => job.triggers.toArray());
    case 'jobs':
      return jobsOf(tables, target.matcher).flatMap((job) => job.triggers.toArray());
  }
}

/** What was said of pauses goes with them. */
function forgetEnded(tables: MemoryTables, resumed: readonly PauseTarget[], triggers: readonly TriggerEntry[]): void {
  if (tables.pauses.size === 0) return;
  const texts = new Set(triggers.map((entry) => entry.keyText));
  for (const pause of [...tables.pauses.values()]) {
    if (resumed.some((target) => isEndedBy(pause, target, texts))) tables.explain(pause.target, null);
  }
}

function isPausedJob(job: JobEntry): boolean {
  return job.triggers.toArray().some(({ state }) => state === 'PAUSED');
}

function keysOf(jobs: readonly JobEntry[]): readonly JobKey[] {
  return jobs.map(({ detail }) => detail.key);
}

/** Makes triggers in ERROR fire again. The names of the groups. */
export function resetTriggersFromError(tables: MemoryTables, keys: readonly TriggerKey[]): readonly string[] {
  const found = triggersOf(tables, keys);
  for (const entry of found) {
    const { key } = entry.trigger;
    if (entry.state !== 'ERROR') continue;
    const state = nextState('ERROR', 'reset', tables.contextOf(key.group, entry.job));
    tables.updateTrigger(entry, entry.trigger, firesNoMore(entry.trigger) ? 'COMPLETE' : state);
  }
  return groupsOf(found.map(({ trigger }) => trigger.key));
}

function resume(tables: MemoryTables, entry: TriggerEntry, options: RecoveryClock): void {
  if (entry.state !== 'PAUSED') return;
  const context = tables.contextOf(entry.trigger.key.group, entry.job);
  recoverInto(tables, entry, nextState(stateOf(entry), 'resume', context), options);
}

/** The mark of all groups is no group: only resuming all groups removes it. */
function isResumedBy(matcher: GroupMatcher, group: string): boolean {
  return group === ALL_GROUPS_PAUSED ? matcher.operator === 'any' : matchesGroup(matcher, group);
}

/** The triggers of these keys that are stored. */
function triggersOf(tables: MemoryTables, keys: readonly TriggerKey[]): readonly TriggerEntry[] {
  return keys.map((key) => tables.trigger(key)).filter((entry) => entry !== null);
}

function jobsOf(tables: MemoryTables, which: Which<JobKey>): readonly JobEntry[] {
  if (isKeys(which)) return which.map((key) => tables.job(key)).filter((job) => job !== null);
  return tables.jobGroups.matching(which).flatMap((group) => tables.jobGroups.members(group));
}

/** The tables, as change sets edit them. */
class EditedTables implements EditableSchedule {
  readonly #tables: MemoryTables;
  /** The jobs and triggers that were put and of which something is expected, and what was before. */
  readonly #put = new Map<string, ExpectationOwner & Pick<StoredOwner, 'before'>>();

  constructor(tables: MemoryTables) {
    this.#tables = tables;
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

  jobsIn(isMeant: (group: string) => boolean): readonly JobKey[] {
    const { jobGroups } = this.#tables;
    const groups = jobGroups.names().filter(isMeant);
    return groups.flatMap((group) => jobGroups.members(group)).map(({ detail }) => detail.key);
  }

  triggersIn(isMeant: (group: string) => boolean): readonly EditedTrigger[] {
    const { triggerGroups } = this.#tables;
    const groups = triggerGroups.names().filter(isMeant);
    return groups.flatMap((group) => triggerGroups.members(group)).map(edited);
  }

  triggersOf(job: JobKey): readonly TriggerKey[] {
    const entries = this.#tables.job(job)?.triggers.toArray() ?? [];
    return entries.map(({ trigger }) => trigger.key);
  }

  usersOf(calendar: string): readonly EditedTrigger[] {
    return [...(this.#tables.calendars.get(calendar)?.triggers ?? [])].map(edited);
  }

  links(): readonly ChainLink[] {
    return this.#tables.followers.links();
  }

  transitionContextOf(group: string, job: JobKey): TransitionContext {
    return this.#tables.contextOf(group, this.#storedJob(job));
  }

  putJob(job: JobDetail): void {
    const stored = this.#tables.job(job.key);
    if (isExpecting(job)) this.#note({ jobKey: job.key, triggerKey: null }, stored?.detail ?? null);
    if (stored === null) this.#tables.insertJob(job);
    else this.#tables.replaceJob(stored, job);
  }

  removeJob(key: JobKey): void {
    this.#tables.removeJob(this.#storedJob(key));
  }

  putTrigger(trigger: Trigger, state: TriggerState): void {
    const job = this.#storedJob(trigger.jobKey);
    const entry = this.#tables.trigger(trigger.key);
    if (isExpecting(trigger)) this.#note({ jobKey: trigger.jobKey, triggerKey: trigger.key }, entry?.trigger ?? null);
    if (entry === null) this.#tables.insertTrigger(trigger, job, state);
    else this.#tables.replaceTrigger(entry, trigger, job, state);
  }

  removeTrigger(key: TriggerKey): void {
    const entry = this.#tables.trigger(key);
    if (entry !== null) this.#tables.removeTrigger(entry);
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

  clearRest(): void {
    for (const name of [...this.#tables.calendars.keys()]) this.#tables.removeCalendar(name);
    for (const group of [...this.#tables.pausedGroups]) this.#tables.unpauseGroup(group);
    for (const { target } of [...this.#tables.pauses.values()]) this.#tables.explain(target, null);
    this.#tables.clearOccurrences();
  }

  declaration(key: TriggerKey): Declaration | null {
    return this.#tables.declared.get(keyText(key)) ?? null;
  }

  declare(key: TriggerKey, declaration: Declaration | null): void {
    this.#tables.declare(key, declaration);
  }

  forgetDeclarations(isMeant: (declared: DeclaredKeys) => boolean): void {
    for (const each of this.#tables.declared.values()) if (isMeant(each)) this.#tables.declare(each.key, null);
  }

  /** Those of which something is expected, with what they said before and say now. */
  owners(): readonly StoredOwner[] {
    return [...this.#put.values()].flatMap(({ before, jobKey, triggerKey }): StoredOwner[] => {
      const job = this.#tables.job(jobKey);
      const trigger = triggerKey === null ? null : this.#tables.trigger(triggerKey);
      const after = (triggerKey === null ? job?.detail : trigger?.trigger)?.policy?.mustSucceedWithin;
      const triggers = trigger === null ? (job?.triggers.toArray() ?? []) : [trigger];
      return [{ before, jobKey, triggerKey, after, firstTime: firstTimeOf(triggers) }];
    });
  }

  #note(owner: ExpectationOwner, before: HasPolicy | null): void {
    const text = ownerText(owner);
    if (this.#put.has(text)) return;
    this.#put.set(text, { ...owner, before: before === null ? null : before.policy?.mustSucceedWithin });
  }

  #storedJob(key: JobKey): JobEntry {
    const job = this.#tables.job(key);
    if (job === null) throw new TypeError(`Expected the job '${key.group}.${key.name}' to be stored.`);
    return job;
  }
}

type HasPolicy = Pick<JobDetail, 'policy'>;

function isExpecting({ policy }: HasPolicy): boolean {
  return policy?.mustSucceedWithin !== undefined;
}

/** When the first of the triggers fires that have not fired yet; null: none. */
function firstTimeOf(triggers: readonly TriggerEntry[]): EpochMs | null {
  const isNew = ({ trigger }: TriggerEntry) => trigger.previousFireTime === null;
  return earliestOf(triggers.filter(isNew).map(({ trigger }) => trigger.nextFireTime)) ?? null;
}

function edited(entry: TriggerEntry): EditedTrigger {
  const { trigger, job } = entry;
  const { nextFireTime, previousFireTime } = trigger;
  return { key: trigger.key, jobKey: job.detail.key, state: stateOf(entry), trigger, nextFireTime, previousFireTime };
}
