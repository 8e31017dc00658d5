import type { EpochMs } from '../base/clock';
import type { EndedRun } from './completion';
import type { JobDetail } from './job-detail';
import { formatKey, keyText, type TriggerKey } from './keys';
import { BACKFILL_GROUP_PREFIX, occurrenceOfTrigger, RETRYING_JOBS, withoutOccurrence } from './occurrence';
import { originOfRun } from './pause';
import { RECOVERING_JOBS } from './recovery';
import { detailOfPart, type RunDetail, type RunName, type RunRecord } from './run';
import { detailOf } from './run-detail';
import { firesNoMore, type Trigger } from './trigger';

/*
 * Deleting a trigger or job also deletes the waiting runs of its earlier occurrences. An occurrence that had already started counts as failed: its
 * waiting run becomes a dead letter, and jobs that are chained to its failure start. Thus, every deleted occurrence that had started is recorded.
 */

/** Object whose deletion also deleted the run; `run` if the run itself was deleted. */
export type DeletedWith = 'trigger' | 'job' | 'run';

interface StoredJob {
  /** The job; null if this node cannot read it. */
  readonly detail: JobDetail | null;
}

/** A deleted waiting run of an occurrence that had already started. `job` is the job at the time of deletion. */
export interface DeletedRun {
  readonly trigger: Trigger;
  readonly job: StoredJob;
  readonly with: DeletedWith;
}

/** True for a retry or recovery of a started occurrence. First runs, also deferred, sharded or chained ones, leave no dead letter when deleted. */
export function runsAgain({ group }: TriggerKey): boolean {
  return group === RETRYING_JOBS || group === RECOVERING_JOBS;
}

/** Returns the waiting run that is deleted with its trigger. Null unless the trigger waits to retry or recover a started occurrence. */
export function deletedRun(trigger: Trigger | null, job: StoredJob, deletedWith: DeletedWith): DeletedRun | null {
  if (trigger === null || firesNoMore(trigger) || !runsAgain(trigger.key) || originOfRun(trigger) === null) return null;
  return { trigger, job, with: deletedWith };
}

/** Returns the record of a deleted waiting run, which becomes a dead letter. `runId`: a new id for the record. */
export function recordOfDeleted(
  runId: string,
  deleted: DeletedRun,
  { instanceId, now }: { readonly instanceId: string; readonly now: EpochMs },
): RunRecord {
  const { trigger, job } = deleted;
  const { id, shard, ...occurrence } = occurrenceOfTrigger(trigger);
  return {
    runId,
    ...occurrence,
    occurrenceId: id ?? runId, // null if a Java node planned the recovery
    jobKey: trigger.jobKey,
    jobType: job.detail?.jobType ?? '',
    instanceId,
    fireTime: now,
    endTime: now,
    outcome: 'failed',
    isDeadLetter: true,
    error: reasonOf(deleted),
    detail: JSON.stringify({ ...detailOfPart(shard === undefined ? {} : { shard }), ...detailOfRerun(deleted) }),
  };
}

function reasonOf({ trigger, with: deletedWith }: DeletedRun): string {
  const what = trigger.key.group === RETRYING_JOBS ? 'retry' : 'recovery';
  if (deletedWith === 'run') return `The waiting ${what} was deleted before it started.`;
  const key = deletedWith === 'job' ? trigger.jobKey : (originOfRun(trigger) ?? trigger.key);
  return `The waiting ${what} was deleted with its ${deletedWith} '${formatKey(key)}' before it started.`;
}

/** Includes the job if it is not durable or is being deleted, marked as not durable, because it is stored only for the rerun. */
function detailOfRerun({ trigger, job, with: deletedWith }: DeletedRun): RunDetail {
  const { priority, policy } = trigger;
  const kept = { triggerData: withoutOccurrence(trigger.data), priority, ...(policy !== undefined && { policy }) };
  if (job.detail === null || (job.detail.durable && deletedWith !== 'job')) return kept;
  const { key: _, ...definition } = job.detail;
  return { ...kept, job: { ...definition, durable: false } };
}

/** Returns the job that is stored in a dead letter for its rerun, or null if there is none. */
export function keptJob(run: RunRecord): JobDetail | null {
  const { job } = detailOf(run);
  return job === undefined ? null : { ...job, key: run.jobKey };
}

/** Returns the ends of deleted runs, for chained jobs. Omits parts (shards): the store counts them, and the occurrence ends with its last part. */
export function endsOfDeleted(deleted: readonly DeletedRun[], runs: readonly RunRecord[]): readonly EndedRun[] {
  return runs.flatMap((run, index): EndedRun[] => {
    const { trigger } = deleted[index] as DeletedRun;
    const occurrence = occurrenceOfTrigger(trigger);
    if (occurrence.shard !== undefined) return [];
    const end = { occurrence: { ...occurrence, id: run.occurrenceId }, outcome: run.outcome, isFinal: true } as const;
    return [{ jobKey: run.jobKey, runId: run.runId, end: { ...end, endTime: run.endTime } }];
  });
}

export function namesOfRuns(runs: readonly RunRecord[]): readonly RunName[] {
  return runs.map(({ runId, triggerKey, jobKey }) => ({ runId, triggerKey, jobKey }));
}

/** Index of triggers of further runs, such as retries, by the key of the original trigger. */
export class RunsByOrigin {
  readonly #byOrigin = new Map<string, { readonly origin: TriggerKey; readonly runs: TriggerKey[] }>();

  constructor(triggers: Iterable<Pick<Trigger, 'key' | 'data'>>) {
    for (const trigger of triggers) {
      const origin = originOfRun(trigger);
      if (origin === null) continue;
      const known = this.#byOrigin.get(keyText(origin));
      if (known === undefined) this.#byOrigin.set(keyText(origin), { origin, runs: [trigger.key] });
      else known.runs.push(trigger.key);
    }
  }

  /** Excludes backfills, because they are separate requests. */
  of(origin: TriggerKey): readonly TriggerKey[] {
    return this.withBackfillsOf(origin).filter(isNoBackfill);
  }

  withBackfillsOf(origin: TriggerKey): readonly TriggerKey[] {
    return this.#byOrigin.get(keyText(origin))?.runs ?? [];
  }

  /** Returns the keys of the triggers whose original triggers are in the selected groups. Excludes backfills. */
  in(isSelected: (group: string) => boolean): readonly TriggerKey[] {
    const found = [...this.#byOrigin.values()].flatMap(({ origin, runs }) => (isSelected(origin.group) ? runs : []));
    return found.filter(isNoBackfill);
  }
}

function isNoBackfill({ group }: TriggerKey): boolean {
  return !group.startsWith(BACKFILL_GROUP_PREFIX);
}
