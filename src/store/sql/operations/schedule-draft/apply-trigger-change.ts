import { ObjectAlreadyExistsError } from '../../../../base/errors';
import type { Calendar } from '../../../../domain/calendars/calendar';
import { declarationOf, isDeclaredNow, planDeclaration } from '../../../../domain/declaration';
import { formatKey, sameKey } from '../../../../domain/keys';
import {
  planRegistration,
  planReplacement,
  type StoredRegistration,
  stateAfterRegistration,
} from '../../../../domain/registration';
import type { ScheduleChange, ScheduleOutcome } from '../../../../domain/schedule-change';
import type { Trigger } from '../../../../domain/trigger';
import { restingState } from '../../../../domain/trigger-state';
import { isGroupPaused } from '../paused-groups';
import { calendarOf } from './apply-calendar-change';
import { outcome } from './outcomes';
import type { JobDraft, ScheduleDraft, TriggerDraft, TriggerNow } from './schedule-draft';
import { jobNotFound, jobUnreadable } from './schedule-errors';

type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Stores a trigger under its key, as `planRegistration` decides; one that is declared, unless it has come to its end before. */
export function storeTrigger(draft: ScheduleDraft, change: ChangeOf<'storeTrigger'>): ScheduleOutcome {
  if (change.declared === undefined) return store(draft, change);
  const { trigger } = change;
  const stored = draft.trigger(trigger.key);
  // The state as it is stored: what cannot be read has not ended by that.
  const current = stored && { ...registrationOf(stored, trigger), state: stored.now.state };
  const plan = planDeclaration(change, draft.declared.get(trigger.key), current);
  const done = plan === 'store' ? store(draft, change) : declaredBefore(plan, stored);
  if (plan !== 'store' || isDeclaredNow(change, current, done)) draft.declared.set(trigger.key, declarationOf(change));
  return done;
}

function declaredBefore(
  plan: 'finished' | 'kept',
  stored: (TriggerDraft & { readonly now: TriggerNow }) | null,
): ScheduleOutcome {
  return plan === 'finished'
    ? outcome('finished')
    : outcome('kept', { nextFireTime: stored && nextFireTimeOf(stored) });
}

function store(draft: ScheduleDraft, change: ChangeOf<'storeTrigger'>): ScheduleOutcome {
  const { trigger, ifExists } = change;
  const stored = draft.trigger(trigger.key);
  if (change.needsReadableJob === true) refuseUnreadable(jobOf(draft, trigger));
  if (stored === null) return insert(draft, trigger, jobOf(draft, trigger));
  if (ifExists === 'fail') throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  if (ifExists === 'keep') return outcome('kept', { nextFireTime: nextFireTimeOf(stored) });

  const job = jobOf(draft, trigger);
  const current = registrationOf(stored, trigger);
  const { status, trigger: planned, ...kept } = planRegistration(change, current, calendarFor(draft, trigger));
  if (status === 'replaced') {
    const circumstances = draft.circumstancesOf(trigger.key.group, job);
    draft.putTrigger(planned, stateAfterRegistration(planned, current.state, circumstances));
  }
  return outcome(status, { nextFireTime: planned.nextFireTime, ...kept });
}

function refuseUnreadable({ key, before, stored, written }: JobDraft): void {
  if (before !== null && stored === null && written === null) throw jobUnreadable(key);
}

/** Puts a trigger in the place of another, for the same job. Unlike a registration, it ends a pause of the old one. */
export function replaceTrigger(draft: ScheduleDraft, change: ChangeOf<'replaceTrigger'>): ScheduleOutcome {
  const old = draft.trigger(change.key);
  if (old === null) return outcome('notFound');
  const trigger: Trigger = { ...change.trigger, jobKey: old.now.jobKey };
  const job = jobOf(draft, trigger);
  if (!sameKey(change.key, trigger.key)) return rename(draft, old, trigger, job);

  const requested = { ...change, trigger };
  const plan = planReplacement(requested, registrationOf(old, trigger), calendarFor(draft, trigger));
  const circumstances = draft.circumstancesOf(trigger.key.group, job);
  draft.putTrigger(plan.trigger, stateAfterRegistration(plan.trigger, null, circumstances));
  return outcome('replaced', { nextFireTime: plan.trigger.nextFireTime });
}

function rename(draft: ScheduleDraft, old: TriggerDraft, trigger: Trigger, job: JobDraft): ScheduleOutcome {
  if (draft.trigger(trigger.key) !== null) throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  draft.removeTrigger(old);
  const { nextFireTime } = insert(draft, trigger, job);
  return outcome('replaced', { nextFireTime, deletedTriggers: [old.key] });
}

function insert(draft: ScheduleDraft, requested: Trigger, job: JobDraft): ScheduleOutcome {
  const { group } = requested.key;
  const calendar = calendarFor(draft, requested);
  const { status, trigger } = planRegistration({ trigger: requested, startTimeDefaulted: false }, null, calendar);
  // A group that is paused only because all are: so that it is listed and can be resumed by itself.
  if (isGroupPaused(draft.paused, group)) draft.paused.add(group);
  draft.putTrigger(trigger, restingState(draft.circumstancesOf(group, job)));
  return outcome(status, { nextFireTime: trigger.nextFireTime });
}

/** What is stored, as far as it can be read: of a row that cannot, at least no time is fired again. */
function registrationOf(
  { now, before }: TriggerDraft & { readonly now: TriggerNow },
  requested: Trigger,
): StoredRegistration {
  if (now.trigger !== null) return { trigger: now.trigger, state: now.state };
  const previousFireTime = before?.previousFireTime ?? null;
  return { trigger: { ...requested, nextFireTime: null, previousFireTime }, state: 'COMPLETE' };
}

function nextFireTimeOf({ now, before }: TriggerDraft & { readonly now: TriggerNow }): number | null {
  return now.trigger === null ? (before?.nextFireTime ?? null) : now.trigger.nextFireTime;
}

function calendarFor(draft: ScheduleDraft, trigger: Trigger): Calendar | null {
  return calendarOf(draft, trigger)?.calendar ?? null;
}

function jobOf(draft: ScheduleDraft, trigger: Trigger): JobDraft {
  const job = draft.job(trigger.jobKey);
  if (job === null) throw jobNotFound(trigger);
  return job;
}
