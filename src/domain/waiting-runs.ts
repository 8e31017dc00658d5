import type { EditableSchedule, EditedTrigger } from './editable-schedule';
import type { TriggerKey } from './keys';
import { occurrenceData, occurrenceOfTrigger } from './occurrence';
import { type RegistrationPlan, stateAfterRegistration } from './registration';
import type { Trigger } from './trigger';
import { isPaused, restingState, type TriggerState, UNFIRED_STATES } from './trigger-state';

/*
 * Waiting runs of a trigger that is changed. A pause of the trigger also holds its runs, which are found by its key. A paused run that stayed behind
 * under an old key, or without the pause of its trigger, would never start.
 */

/**
 * Stores one-shot triggers for the due fire times that a changed trigger cannot keep itself. They are paused if the trigger is. `state`: state of the
 * trigger after the change. Keeps a waiting backfill of the same time.
 */
export function putDue(schedule: EditableSchedule, { due = [] }: RegistrationPlan, state: TriggerState): void {
  for (const each of due) {
    if (schedule.trigger(each.key) !== null) continue;
    const context = schedule.transitionContextOf(each.key.group, each.jobKey);
    schedule.putTrigger(each, stateAfterRegistration(each, state, context));
  }
}

/** States of a trigger before and after a change. */
interface StatesOfTrigger {
  readonly before: TriggerState;
  readonly after: TriggerState;
}

/** Moves the waiting runs of a renamed trigger to its new key. A run that a node has acquired begins under the old key. */
export function moveRuns(schedule: EditableSchedule, from: TriggerKey, to: TriggerKey, states: StatesOfTrigger): void {
  for (const key of schedule.runsByOrigin().withBackfillsOf(from)) {
    const run = schedule.trigger(key);
    if (run === null || run.trigger === null || !MOVED.has(run.state)) continue;
    schedule.putTrigger(withOrigin(run.trigger, to), stateOfMoved(run, states, schedule));
  }
}

const MOVED: ReadonlySet<TriggerState> = new Set(UNFIRED_STATES);

/** A run stays paused unless only the pause of its trigger held it, and that has ended. It becomes paused with its trigger. */
function stateOfMoved(
  { key, jobKey, state }: EditedTrigger,
  { before, after }: StatesOfTrigger,
  schedule: EditableSchedule,
): TriggerState {
  const becomesPaused = !isPaused(before) && isPaused(after);
  if (!isPaused(state) && !becomesPaused) return state;
  const { jobExecuting, groupPaused } = schedule.transitionContextOf(key.group, jobKey);
  const isFreed = isPaused(before) && !isPaused(after) && !groupPaused;
  return restingState({ jobExecuting, groupPaused: !isFreed });
}

function withOrigin(run: Trigger, triggerKey: TriggerKey): Trigger {
  return { ...run, data: { ...run.data, ...occurrenceData({ ...occurrenceOfTrigger(run), triggerKey }) } };
}
