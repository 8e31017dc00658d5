import { addAll } from '../base/lists';
import { type JobKey, keyText, type TriggerKey } from '../domain/keys';
import { isGroupOfFurtherRuns } from '../domain/occurrence';
import { originOfRun } from '../domain/pause';
import { MAX_ATOMIC } from '../domain/portions';
import type { ChangeSet, Outcomes, ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { JobStore } from '../store/job-store';
import { readTriggers } from './read-pages';

/** Splits the deletion of jobs with more triggers than one transaction may change: deletes most triggers first, then the job. */
export class LargeJobs {
  readonly #store: Pick<JobStore, 'pageTriggers' | 'findLargeJobs'>;

  constructor(store: Pick<JobStore, 'pageTriggers' | 'findLargeJobs'>) {
    this.#store = store;
  }

  /** Inserts deletions for the triggers of large jobs. Returns the given list if no job is large. */
  async withTriggers(changes: ChangeSet): Promise<ChangeSet> {
    const jobs = changes.flatMap((change) => (change.type === 'deleteJob' ? [change.key] : []));
    const large = jobs.length === 0 ? [] : await this.#store.findLargeJobs(jobs, MAX_ATOMIC);
    if (large.length === 0) return changes;
    const isLarge = new Set(large.map(keyText));
    const expanded: ScheduleChange[] = [];
    for (const change of changes) {
      if (change.type === 'deleteJob' && isLarge.has(keyText(change.key)))
        addAll(expanded, await this.#deletionsOf(change.key));
      expanded.push(change);
    }
    return expanded;
  }

  /**
   * Returns deletions of the job's triggers, except of two kinds that are deleted only together with the job: triggers with waiting runs, because a
   * dead letter stores its trigger for a rerun, and one remaining trigger, because deleting the last trigger would also delete a non-durable job.
   */
  async #deletionsOf(jobKey: JobKey): Promise<ChangeSet> {
    const triggers = await readTriggers(this.#store, { jobKey });
    const waiting = new Set(triggers.flatMap((trigger) => keyTextOf(originOfRun(trigger))));
    return triggers
      .map(({ key }) => key)
      .filter((key) => !isGroupOfFurtherRuns(key.group) && !waiting.has(keyText(key)))
      .slice(0, -1)
      .map((key) => ({ type: 'deleteTrigger', key }));
  }
}

const keyTextOf = (key: TriggerKey | null) => (key === null ? [] : [keyText(key)]);

/** Converts the outcomes of expanded changes to those of the given changes. The outcome of a job's deletion includes triggers deleted before it. */
export function outcomesOfGiven(given: ChangeSet, expanded: ChangeSet, outcomes: Outcomes): Outcomes {
  if (expanded === given) return outcomes;
  const isGiven = new Set(given);
  const merged: ScheduleOutcome[] = [];
  let before: ScheduleOutcome[] = [];
  for (const [index, change] of expanded.entries()) {
    const outcome = outcomes[index] as ScheduleOutcome;
    if (!isGiven.has(change)) before.push(outcome);
    else {
      merged.push(change.type === 'deleteJob' ? deletedWith([...before, outcome]) : outcome);
      before = [];
    }
  }
  return merged;
}

function deletedWith(outcomes: Outcomes): ScheduleOutcome {
  const last = outcomes.at(-1) as ScheduleOutcome;
  const overridden = new Set(outcomes.flatMap((each) => each.overridden ?? []));
  return {
    ...last,
    deletedTriggers: outcomes.flatMap((each) => each.deletedTriggers),
    ...(overridden.size > 0 && { overridden: [...overridden] }),
  };
}
