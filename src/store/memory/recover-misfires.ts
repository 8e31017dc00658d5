import { type EpochMs, earliestOf } from '../../base/clock';
import { addAll } from '../../base/lists';
import { recoverMissed } from '../../domain/catch-up';
import { firstDueAfterMisfire } from '../../domain/first-due';
import type { JobKey } from '../../domain/keys';
import { type MisfireClock, misfireTime } from '../../domain/misfire';
import { firesNoMore, type SimpleTrigger, type Trigger } from '../../domain/trigger';
import { hasEnded } from '../../domain/trigger-end';
import type { TriggerState } from '../../domain/trigger-state';
import type { MisfireRequest, MisfireSweep } from '../job-store';
import { deleteEnded, removeEnded } from './ended-triggers';
import type { partsOf, TriggerEntry } from './entries';
import { storeFurtherRun } from './firings';
import type { MemoryTables } from './memory-tables';
import { calendarOf } from './read-schedule';

export interface RecoveryClock extends MisfireClock {
  /** Called with each trigger that skips a fire time, as it was before its misfire instruction was applied, and its job. */
  readonly onSkipped: (missed: ReturnType<typeof partsOf>) => void;
}

/** Applies the misfire instructions of misfired triggers, the earliest fire time first. */
export function recoverMisfires(tables: MemoryTables, request: MisfireRequest & RecoveryClock): MisfireSweep {
  const next = () => tables.due.firstMisfired(misfireTime(request));
  const misfired: Trigger[] = [];
  const finalized: Trigger[] = [];
  const endedByCalendar: Trigger[] = [];
  const deletedJobs: JobKey[] = [];
  const times: (EpochMs | null)[] = [];
  for (let count = 0; count < request.maxCount; count++) {
    const entry = next();
    if (entry === null) break;
    const before = entry.trigger;
    const caughtUp = recoverInto(tables, entry, 'WAITING', request);
    if (caughtUp === null) continue;
    misfired.push(before);
    if (hasEnded(entry.trigger, request.now)) finalized.push(entry.trigger);
    else if (firesNoMore(entry.trigger)) endedByCalendar.push(entry.trigger);
    addAll(deletedJobs, removeEnded(tables, entry, request.now));
    for (const { nextFireTime } of [entry.trigger, ...caughtUp]) times.push(nextFireTime);
  }
  addAll(deletedJobs, deleteEnded(tables, request.now));
  const earliestNextFireTime = earliestOf(times) ?? null;
  return { misfired, finalized, endedByCalendar, deletedJobs, earliestNextFireTime, more: next() !== null };
}

/**
 * Moves a trigger to `state`, or to COMPLETE if it has no fire time left. If the trigger misfired, applies its misfire instruction first.
 * Returns the triggers that catch up on missed fire times.
 * Returns null if the fire times cannot be computed. The trigger is then in ERROR; otherwise every later sweep would find it first.
 */
export function recoverInto(
  tables: MemoryTables,
  entry: TriggerEntry,
  state: TriggerState,
  clock: RecoveryClock,
): readonly SimpleTrigger[] | null {
  const { trigger: before, job } = entry;
  try {
    const calendar = calendarOf(tables, before)?.calendar ?? null;
    const { trigger, caughtUp, skips } = recoverMissed(before, calendar, clock, job.detail.policy);
    for (const each of caughtUp) storeFurtherRun(tables, each);
    if (skips) clock.onSkipped({ trigger: before, jobDetail: job.detail });
    const isPaused = entry.state === 'PAUSED'; // a pause is not waiting time
    const firstDue = isPaused ? null : firstDueAfterMisfire(before, { trigger, caughtUp }, entry.firstDueTime);
    tables.updateTrigger(entry, trigger, firesNoMore(trigger) ? 'COMPLETE' : state, firstDue);
    return caughtUp;
  } catch {
    tables.updateTrigger(entry, entry.trigger, 'ERROR');
    return null;
  }
}
