import type { CalendarData } from '../../../domain/calendars/calendar';
import type { ChainLink } from '../../../domain/chain';
import type { Declaration, DeclarationTarget, DeclaredKeys } from '../../../domain/declaration';
import { type DeletedRun, RunsByOrigin } from '../../../domain/deleted-runs';
import type {
  EditableSchedule,
  EditedCalendar,
  EditedJob,
  EditedTrigger,
  MissedFireTime,
} from '../../../domain/editable-schedule';
import type { JobDetail } from '../../../domain/job-detail';
import { type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import type { Trigger } from '../../../domain/trigger';
import type { TransitionContext, TriggerState } from '../../../domain/trigger-state';
import { DeclarationDrafts } from './declarations';
import { isGroupPaused } from './paused-groups';

/** Properties of a job that affect its triggers. */
type JobFacts = Pick<JobDetail, 'jobType' | 'durable' | 'disallowConcurrentExecution'>;

export interface JobDraft {
  readonly key: JobKey;
  /** Stored properties; null if the job is not stored. */
  readonly before: JobFacts | null;
  /** Stored definition; null if it was not read in full or is unreadable. */
  readonly stored: JobDetail | null;
  /** Stored data column. New data uses the same format. */
  readonly storedData: Uint8Array | null;
  readonly isExecuting: boolean;
  /** Properties after the changes so far; null if the job does not exist. */
  facts: JobFacts | null;
  /** Definition to store; null if it is unchanged. */
  written: JobDetail | null;
  /** Number of triggers after the changes so far. Counted only if the change set may leave the job without triggers. */
  triggerCount: number;
}

/** A stored trigger. `trigger` is null if only its summary was loaded or its row is unreadable. */
export interface TriggerBefore {
  readonly jobKey: JobKey;
  readonly calendarName: string | null;
  readonly state: TriggerState;
  readonly type: string | null;
  readonly nextFireTime: number | null;
  readonly previousFireTime: number | null;
  /** First due time, if a misfire has moved the trigger to `nextFireTime`; null: none. Undefined if only the summary was loaded. */
  readonly firstDueTime: number | null | undefined;
  readonly trigger: Trigger | null;
  readonly storedData: Uint8Array | null;
}

/** A trigger after the changes so far. `trigger` is null if the trigger is unchanged and was not read in full. */
type TriggerNow = Pick<TriggerBefore, 'jobKey' | 'calendarName' | 'state' | 'trigger'>;

export interface TriggerDraft {
  readonly key: TriggerKey;
  readonly before: TriggerBefore | null;
  now: TriggerNow | null;
  isWritten: boolean;
}

interface CalendarDraft {
  readonly isStored: boolean;
  /** Stored calendar; null if none is stored or this node cannot read it. */
  readonly before: CalendarData | null;
  /** Stored bytes; null if none are stored. */
  readonly storedBytes: Uint8Array | null;
  now: CalendarData | null;
  isPresent: boolean;
}

/**
 * The part of the schedule that a change set affects. It is read once, changed step by step in memory, and written once. A change set of any
 * size therefore needs the same number of statements, and each change sees the changes before it.
 */
export class ScheduleDraft implements EditableSchedule {
  readonly jobs = new Map<string, JobDraft>();
  readonly triggers = new Map<string, TriggerDraft>();
  readonly calendars = new Map<string, CalendarDraft>();
  readonly declared = new DeclarationDrafts();
  readonly pausedBefore: ReadonlySet<string>;
  readonly paused: Set<string>;
  /** Waiting runs that the change set deletes. Their ends must be recorded. */
  readonly deletedRuns: DeletedRun[] = [];
  /** Keys of renamed triggers, whose pauses move with them. */
  readonly movedPauses: { readonly from: TriggerKey; readonly to: TriggerKey }[] = [];
  /** Due fire times that do not fire any more, and must be recorded. */
  readonly missed: MissedFireTime[] = [];
  isCleared = false;
  /** Jobs of the change set that stored triggers wait for, as `keyText`. Contains only jobs in `followable` of `NamesInChanges`. */
  followed: ReadonlySet<string> = new Set();
  storedLinks: readonly ChainLink[] = [];

  #runsByOrigin: RunsByOrigin | null = null;

  /** Triggers by their job, in the form of `keyText`. Created when first needed: storing, the most common change, never needs it. */
  #byJob: Map<string, Set<TriggerDraft>> | null = null;

  constructor(paused: ReadonlySet<string>) {
    this.pausedBefore = paused;
    this.paused = new Set(paused);
  }

  /** True if the draft only adds jobs and triggers without policies. No other row depends on such a job or trigger. */
  get isPlainAddition(): boolean {
    const isElse = this.isCleared || this.calendars.size > 0 || this.paused.size !== this.pausedBefore.size;
    if (isElse || this.declared.changed().length > 0) return false;
    for (const { before, facts, stored, written } of this.jobs.values())
      if ((before !== null && facts !== before) || (written ?? stored)?.policy !== undefined) return false;
    for (const { before, now } of this.triggers.values())
      if (before !== null || now?.trigger?.policy !== undefined) return false;
    return true;
  }

  /**
   * True if the draft changes or deletes what was stored before, or adds a trigger that waits for another. Trains that read the schedule before then
   * must not fire.
   */
  get changesStored(): boolean {
    if (this.isCleared || this.movedPauses.length > 0 || this.paused.size !== this.pausedBefore.size) return true;
    for (const { before, facts } of this.jobs.values()) if (before !== null && facts !== before) return true;
    for (const { before, now } of this.triggers.values())
      if (before === null ? now?.trigger?.kind === 'AFTER' : now !== before) return true;
    for (const { isStored, isPresent, before, now } of this.calendars.values())
      if (isStored && (!isPresent || now !== before)) return true;
    return false;
  }

  /** Returns the draft of a job. Creates an empty draft if the job was not read. */
  jobDraft(key: JobKey): JobDraft {
    const text = keyText(key);
    const known = this.jobs.get(text);
    if (known !== undefined) return known;
    // A single object literal: objects built by spreading are slow to create and to read.
    const draft: JobDraft = {
      key,
      before: null,
      stored: null,
      storedData: null,
      isExecuting: false,
      facts: null,
      written: null,
      triggerCount: 0,
    };
    this.jobs.set(text, draft);
    return draft;
  }

  /** Adds a stored trigger. Ignores a trigger that was already added, so full triggers must be added before summaries. */
  addTrigger(key: TriggerKey, before: TriggerBefore): void {
    const text = keyText(key);
    if (this.triggers.has(text)) return;
    const draft: TriggerDraft = { key, before, now: before, isWritten: false };
    this.triggers.set(text, draft);
    this.#joinJob(draft);
  }

  job(key: JobKey): EditedJob | null {
    const draft = this.jobs.get(keyText(key));
    if (draft === undefined || draft.facts === null) return null;
    const { written, stored, facts, triggerCount } = draft;
    return { key, detail: written ?? stored, durable: facts.durable, triggerCount };
  }

  trigger(key: TriggerKey): EditedTrigger | null {
    const draft = this.triggers.get(keyText(key));
    return draft === undefined ? null : edited(draft);
  }

  /** Names of the calendars of the triggers that were read in full. A change of such a trigger needs its present calendar, too. */
  calendarsOfTriggers(): readonly string[] {
    return [...this.triggers.values()].flatMap(({ before }) => before?.trigger?.calendarName ?? []);
  }

  calendar(name: string): EditedCalendar | null {
    const draft = this.calendars.get(name);
    return draft?.isPresent ? { data: draft.now } : null;
  }

  jobsIn(isSelected: (group: string) => boolean): readonly JobKey[] {
    const jobs = [...this.jobs.values()].filter(({ key, facts }) => facts !== null && isSelected(key.group));
    return jobs.map(({ key }) => key);
  }

  triggersIn(isSelected: (group: string) => boolean): readonly EditedTrigger[] {
    return this.#triggersWhere(({ key }) => isSelected(key.group));
  }

  usersOf(calendar: string): readonly EditedTrigger[] {
    return this.#triggersWhere(({ now }) => now?.calendarName === calendar);
  }

  triggersOf(job: JobKey): readonly TriggerKey[] {
    if (this.#byJob === null) {
      this.#byJob = new Map();
      for (const trigger of this.triggers.values()) this.#joinJob(trigger);
    }
    return [...(this.#byJob.get(keyText(job)) ?? [])].map(({ key }) => key);
  }

  /** Further runs in this draft by their origin: the trigger whose occurrence they run. Leaves out triggers read only as summaries. */
  runsByOrigin(): RunsByOrigin {
    this.#runsByOrigin ??= new RunsByOrigin([...this.triggers.values()].flatMap(({ now }) => now?.trigger ?? []));
    return this.#runsByOrigin;
  }

  endRun(run: DeletedRun): void {
    this.deletedRuns.push(run);
  }

  missFireTime(missed: MissedFireTime): void {
    this.missed.push(missed);
  }

  /** Returns the stored links, as the change set leaves them, and the links of the triggers that the change set stores. */
  links(): readonly ChainLink[] {
    const isAsStored = ({ key }: ChainLink) => {
      const draft = this.triggers.get(keyText(key));
      return draft === undefined || (draft.now !== null && !draft.isWritten);
    };
    const written = [...this.triggers.values()].flatMap(({ now, isWritten }) =>
      isWritten && now?.trigger?.kind === 'AFTER' ? [now.trigger] : [],
    );
    return [...this.storedLinks.filter(isAsStored), ...written];
  }

  transitionContextOf(group: string, job: JobKey): TransitionContext {
    const { isExecuting, facts } = this.jobDraft(job);
    const jobExecuting = isExecuting && facts?.disallowConcurrentExecution === true;
    return { jobExecuting, groupPaused: isGroupPaused(this.paused, group) };
  }

  putJob(job: JobDetail): void {
    const draft = this.jobDraft(job.key);
    draft.facts = job;
    draft.written = job;
  }

  removeJob(key: JobKey): void {
    const draft = this.jobDraft(key);
    draft.facts = null;
    draft.written = null;
  }

  putTrigger(trigger: Trigger, state: TriggerState): void {
    const { key, jobKey, calendarName } = trigger;
    const text = keyText(key);
    if (isGroupOfFurtherRuns(key.group)) this.#runsByOrigin = null;
    const known = this.triggers.get(text);
    const draft: TriggerDraft = known ?? { key, before: null, now: null, isWritten: false };
    if (known === undefined) this.triggers.set(text, draft);
    else this.#leaveJob(draft);
    draft.now = { jobKey, calendarName, state, trigger };
    draft.isWritten = true;
    this.#joinJob(draft);
    this.jobDraft(jobKey).triggerCount += 1;
  }

  removeTrigger(key: TriggerKey): void {
    const draft = this.triggers.get(keyText(key));
    if (draft === undefined) return;
    this.#leaveJob(draft);
    draft.now = null;
  }

  putCalendar(name: string, data: CalendarData): void {
    const draft = this.calendars.get(name);
    if (draft !== undefined) Object.assign(draft, { now: data, isPresent: true });
  }

  removeCalendar(name: string): void {
    const draft = this.calendars.get(name);
    if (draft !== undefined) Object.assign(draft, { now: null, isPresent: false });
  }

  pauseGroup(group: string): void {
    this.paused.add(group);
  }

  movePause(from: TriggerKey, to: TriggerKey): void {
    this.movedPauses.push({ from, to });
  }

  clearRest(): void {
    for (const name of this.calendars.keys()) this.removeCalendar(name);
    this.paused.clear();
    this.isCleared = true;
  }

  declaration(target: DeclarationTarget): Declaration | null {
    return this.declared.get(target);
  }

  declare(target: DeclarationTarget, declaration: Declaration | null): void {
    this.declared.set(target, declaration);
  }

  forgetDeclarations(isSelected: (declared: DeclaredKeys) => boolean): void {
    this.declared.forget(isSelected);
  }

  #triggersWhere(isSelected: (draft: TriggerDraft) => boolean): readonly EditedTrigger[] {
    const selected = [...this.triggers.values()].filter(isSelected);
    return selected.map(edited).filter((trigger) => trigger !== null);
  }

  #joinJob(draft: TriggerDraft): void {
    if (this.#byJob === null || draft.now === null) return;
    const text = keyText(draft.now.jobKey);
    const members = this.#byJob.get(text);
    if (members === undefined) this.#byJob.set(text, new Set([draft]));
    else members.add(draft);
  }

  #leaveJob(draft: TriggerDraft): void {
    if (draft.now === null) return;
    this.#byJob?.get(keyText(draft.now.jobKey))?.delete(draft);
    this.jobDraft(draft.now.jobKey).triggerCount -= 1;
  }
}

function edited({ key, before, now }: TriggerDraft): EditedTrigger | null {
  if (now === null) return null;
  const { nextFireTime = null, previousFireTime = null } = now.trigger ?? before ?? {};
  return { key, jobKey: now.jobKey, state: now.state, trigger: now.trigger, nextFireTime, previousFireTime };
}
