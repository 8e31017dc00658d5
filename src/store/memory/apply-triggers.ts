import type { EpochMs } from '../../base/clock';
import { ObjectAlreadyExistsError, SchedulerError } from '../../base/errors';
import { declarationOf, isDeclaredNow, planDeclaration } from '../../domain/declaration';
import { formatKey, keyText, sameKey } from '../../domain/keys';
import { planRegistration, planReplacement, stateAfterRegistration } from '../../domain/registration';
import type { ScheduleChange, ScheduleOutcome } from '../../domain/schedule-change';
import type { Trigger } from '../../domain/trigger';
import { restingState } from '../../domain/trigger-state';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { outcome } from './outcomes';
import { circumstancesOf, isGroupPaused } from './paused-groups';

type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Stores a trigger under its key, as `planRegistration` decides; one that is declared, unless it has come to its end before. */
export function storeTrigger(tables: MemoryTables, change: ChangeOf<'storeTrigger'>): ScheduleOutcome {
  if (change.declared === undefined) return store(tables, change);
  const { key } = change.trigger;
  const stored = tables.trigger(key);
  const current = stored && { trigger: stored.trigger, state: stateOf(stored) };
  const plan = planDeclaration(change, tables.declared.get(keyText(key)) ?? null, current);
  const nextFireTime = stored?.trigger.nextFireTime ?? null;
  const done = plan === 'store' ? store(tables, change) : declaredBefore(plan, nextFireTime);
  if (plan !== 'store' || isDeclaredNow(change, current, done)) tables.declare(key, declarationOf(change));
  return done;
}

function declaredBefore(plan: 'finished' | 'kept', nextFireTime: EpochMs | null): ScheduleOutcome {
  return plan === 'finished' ? outcome('finished') : outcome('kept', { nextFireTime });
}

function store(tables: MemoryTables, change: ChangeOf<'storeTrigger'>): ScheduleOutcome {
  const { trigger, ifExists } = change;
  const stored = tables.trigger(trigger.key);
  if (stored === null) return insert(tables, trigger, jobOf(tables, trigger));
  if (ifExists === 'fail') throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  if (ifExists === 'keep') return outcome('kept', { nextFireTime: stored.trigger.nextFireTime });

  const job = jobOf(tables, trigger);
  const current = { trigger: stored.trigger, state: stateOf(stored) };
  const {
    status,
    trigger: planned,
    ...kept
  } = planRegistration(change, current, tables.calendarOf(trigger)?.calendar ?? null);
  if (status === 'replaced') {
    const state = stateAfterRegistration(planned, current.state, circumstancesOf(tables, trigger.key.group, job));
    tables.replaceTrigger(stored, planned, job, state);
  }
  return outcome(status, { nextFireTime: planned.nextFireTime, ...kept });
}

/** Puts a trigger in the place of another, for the same job. Unlike a registration, it ends a pause of the old one. */
export function replaceTrigger(tables: MemoryTables, change: ChangeOf<'replaceTrigger'>): ScheduleOutcome {
  const old = tables.trigger(change.key);
  if (old === null) return outcome('notFound');
  const { job } = old;
  const trigger: Trigger = { ...change.trigger, jobKey: job.detail.key };
  if (!sameKey(change.key, trigger.key)) return rename(tables, old, trigger);

  const current = { trigger: old.trigger, state: stateOf(old) };
  const requested = { ...change, trigger };
  const plan = planReplacement(requested, current, tables.calendarOf(trigger)?.calendar ?? null);
  const state = stateAfterRegistration(plan.trigger, null, circumstancesOf(tables, trigger.key.group, job));
  tables.replaceTrigger(old, plan.trigger, job, state);
  return outcome('replaced', { nextFireTime: plan.trigger.nextFireTime });
}

function rename(tables: MemoryTables, old: TriggerEntry, trigger: Trigger): ScheduleOutcome {
  if (tables.trigger(trigger.key) !== null) throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  tables.removeTrigger(old);
  const { nextFireTime } = insert(tables, trigger, old.job);
  return outcome('replaced', { nextFireTime, deletedTriggers: [old.trigger.key] });
}

function insert(tables: MemoryTables, requested: Trigger, job: JobEntry): ScheduleOutcome {
  const { group } = requested.key;
  const calendar = tables.calendarOf(requested)?.calendar ?? null;
  const { status, trigger } = planRegistration({ trigger: requested, startTimeDefaulted: false }, null, calendar);
  // Paused perhaps only because all are: so the group is listed, and can be resumed by itself.
  if (isGroupPaused(tables, group)) tables.pauseGroup(group);
  tables.insertTrigger(trigger, job, restingState(circumstancesOf(tables, group, job)));
  return outcome(status, { nextFireTime: trigger.nextFireTime });
}

function jobOf(tables: MemoryTables, trigger: Trigger): JobEntry {
  const job = tables.job(trigger.jobKey);
  if (job !== null) return job;
  throw new SchedulerError(
    'JOB_NOT_FOUND',
    `Expected the job '${formatKey(trigger.jobKey)}' of the trigger '${formatKey(trigger.key)}' to be stored, ` +
      'found none. Store the job first, or schedule both together.',
  );
}
