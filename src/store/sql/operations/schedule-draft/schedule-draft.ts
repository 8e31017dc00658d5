import type { CalendarData } from '../../../../domain/calendars/calendar';
import type { JobDetail } from '../../../../domain/job-detail';
import { type JobKey, keyText, type TriggerKey } from '../../../../domain/keys';
import type { Trigger } from '../../../../domain/trigger';
import type { Circumstances, TriggerState } from '../../../../domain/trigger-state';
import { isGroupPaused } from '../paused-groups';
import { DeclaredDrafts } from './declared-draft';

/** What decides about a job's triggers. */
export interface JobFacts {
  readonly jobType: string;
  readonly durable: boolean;
  readonly disallowConcurrentExecution: boolean;
}

/** A job, as it was read and as the change set leaves it. */
export interface JobDraft {
  readonly key: JobKey;
  /** As stored; null: not stored. */
  readonly before: JobFacts | null;
  /** What is stored, where it was read as a whole and can be read; null otherwise. */
  readonly stored: JobDetail | null;
  /** The stored data column, whose form is kept. */
  readonly storedData: Uint8Array | null;
  readonly isExecuting: boolean;
  /** As it is now; null: there is none. */
  facts: JobFacts | null;
  /** The definition to be stored. */
  written: JobDetail | null;
  /** Triggers it has now; counted only where a job may be left without. */
  triggerCount: number;
}

/** A trigger as it was read; `trigger` null: only this much was read, or the rest cannot be. */
export interface TriggerBefore {
  readonly jobKey: JobKey;
  readonly calendarName: string | null;
  readonly state: TriggerState;
  readonly type: string | null;
  readonly nextFireTime: number | null;
  readonly previousFireTime: number | null;
  readonly trigger: Trigger | null;
  readonly storedData: Uint8Array | null;
}

/** A trigger as it is now. */
export interface TriggerNow {
  readonly jobKey: JobKey;
  readonly calendarName: string | null;
  readonly state: TriggerState;
  /** Null: it is as it was read, and that was not read as a whole. */
  readonly trigger: Trigger | null;
}

/** A trigger, as it was read and as the change set leaves it. */
export interface TriggerDraft {
  readonly key: TriggerKey;
  readonly before: TriggerBefore | null;
  now: TriggerNow | null;
  isWritten: boolean;
}

/** A calendar, as it was read and as the change set leaves it. */
export interface CalendarDraft {
  readonly isStored: boolean;
  /** Null: there is none, or only Java reads it. */
  readonly before: CalendarData | null;
  now: CalendarData | null;
  isPresent: boolean;
}

/**
 * The part of the schedule that a change set touches: read once, changed step by step in memory, written once. So a set of
 * any size costs the same number of statements, and its steps see each other.
 */
export class ScheduleDraft {
  readonly jobs = new Map<string, JobDraft>();
  readonly triggers = new Map<string, TriggerDraft>();
  readonly calendars = new Map<string, CalendarDraft>();
  readonly declared = new DeclaredDrafts();
  readonly pausedBefore: ReadonlySet<string>;
  readonly paused: Set<string>;

  /** Made when first asked for: storing, the usual change, never asks. */
  #byJob: Map<string, Set<TriggerDraft>> | null = null;

  constructor(paused: ReadonlySet<string>) {
    this.pausedBefore = paused;
    this.paused = new Set(paused);
  }

  /** The job, if there is one now. */
  job(key: JobKey): (JobDraft & { facts: JobFacts }) | null {
    const draft = this.jobs.get(keyText(key));
    return draft === undefined || draft.facts === null ? null : (draft as JobDraft & { facts: JobFacts });
  }

  /** The draft of a job that nothing is stored of, or that was read. */
  jobDraft(key: JobKey): JobDraft {
    const known = this.jobs.get(keyText(key));
    if (known !== undefined) return known;
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
    this.jobs.set(keyText(key), draft);
    return draft;
  }

  /** Takes up what was read of a trigger; the first reading counts, so whole ones come first. */
  addTrigger(key: TriggerKey, before: TriggerBefore | null): void {
    const text = keyText(key);
    if (this.triggers.has(text)) return;
    const draft: TriggerDraft = { key, before, now: before, isWritten: false };
    this.triggers.set(text, draft);
    this.#joinJob(draft);
  }

  /** The trigger, if there is one now. */
  trigger(key: TriggerKey): (TriggerDraft & { now: TriggerNow }) | null {
    const draft = this.triggers.get(keyText(key));
    return draft === undefined || draft.now === null ? null : (draft as TriggerDraft & { now: TriggerNow });
  }

  /** The triggers that a job has now, of those that were read or stored since. */
  triggersOf(key: JobKey): readonly TriggerDraft[] {
    if (this.#byJob === null) {
      this.#byJob = new Map();
      for (const trigger of this.triggers.values()) this.#joinJob(trigger);
    }
    return [...(this.#byJob.get(keyText(key)) ?? [])];
  }

  /** Puts a trigger under its key, in place of what is there. */
  putTrigger(trigger: Trigger, state: TriggerState): void {
    const { key, jobKey, calendarName } = trigger;
    const text = keyText(key);
    const known = this.triggers.get(text);
    const draft: TriggerDraft = known ?? { key, before: null, now: null, isWritten: false };
    if (known === undefined) this.triggers.set(text, draft);
    else this.#leaveJob(draft);
    draft.now = { jobKey, calendarName, state, trigger };
    draft.isWritten = true;
    this.#joinJob(draft);
    this.jobDraft(jobKey).triggerCount += 1;
  }

  removeTrigger(draft: TriggerDraft): void {
    this.#leaveJob(draft);
    draft.now = null;
  }

  /** What decides the state of a trigger of this group and job. */
  circumstancesOf(group: string, job: JobDraft): Circumstances {
    const jobExecuting = job.isExecuting && job.facts?.disallowConcurrentExecution === true;
    return { jobExecuting, groupPaused: isGroupPaused(this.paused, group) };
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
