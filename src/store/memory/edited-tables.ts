import type { Calendar, CalendarData } from '../../domain/calendars/calendar';
import type { Declaration, DeclaredKeys } from '../../domain/declaration';
import type { EditableSchedule, EditedCalendar, EditedJob, EditedTrigger } from '../../domain/editable-schedule';
import type { JobDetail } from '../../domain/job-detail';
import { type JobKey, keyText, type TriggerKey } from '../../domain/keys';
import type { Trigger } from '../../domain/trigger';
import type { TransitionContext, TriggerState } from '../../domain/trigger-state';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';

/** The tables, as change sets edit them. */
export class EditedTables implements EditableSchedule {
  readonly #tables: MemoryTables;

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

  transitionContextOf(group: string, job: JobKey): TransitionContext {
    return this.#tables.contextOf(group, this.#storedJob(job));
  }

  putJob(job: JobDetail): void {
    const stored = this.#tables.job(job.key);
    if (stored === null) this.#tables.insertJob(job);
    else this.#tables.replaceJob(stored, job);
  }

  removeJob(key: JobKey): void {
    this.#tables.removeJob(this.#storedJob(key));
  }

  putTrigger(trigger: Trigger, state: TriggerState): void {
    const job = this.#storedJob(trigger.jobKey);
    const entry = this.#tables.trigger(trigger.key);
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

  #storedJob(key: JobKey): JobEntry {
    const job = this.#tables.job(key);
    if (job === null) throw new TypeError(`Expected the job '${key.group}.${key.name}' to be stored.`);
    return job;
  }
}

function edited(entry: TriggerEntry): EditedTrigger {
  const { trigger, job } = entry;
  const { nextFireTime, previousFireTime } = trigger;
  return { key: trigger.key, jobKey: job.detail.key, state: stateOf(entry), trigger, nextFireTime, previousFireTime };
}
