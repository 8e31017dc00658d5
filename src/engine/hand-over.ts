import { DoNotRetry, JobExecutionException } from '../api/job-execution-exception';
import { handOverOf } from '../domain/abandoned-run';
import { deadlineOf } from '../domain/admission';
import { policyOf } from '../domain/execution-policy';
import { occurrenceOf } from '../domain/occurrence';
import { handOversOf } from '../domain/recovery';
import { mayRetry } from '../domain/retry-policy';
import { isRecoverable } from '../domain/shards';
import type { RunConclusionParts } from './run-conclusion';
import type { JobOutcome } from './run-ending';
import type { RunState } from './run-state';

type HandOverParts = Pick<RunConclusionParts, 'clock' | 'maxHandOvers' | 'policy'>;

/**
 * Returns the outcome of a run that threw after the shutdown of the scheduler had aborted it. A run that another node may repeat is handed over,
 * whatever it threw except DoNotRetry: it is repeated as the same attempt. After `maxHandOvers` hand-overs without a new checkpoint, or past its
 * deadline or `maxAge`, it ends as interrupted and becomes a dead letter. The outcome of any other run is unchanged.
 */
export function outcomeAfterShutdown(run: RunState, ended: JobOutcome, parts: HandOverParts): JobOutcome {
  const { failure } = ended;
  if (!run.isCutShort || failure === null || failure instanceof DoNotRetry) return ended;
  const { firing, hasNewCheckpoint } = run;
  const { retry } = policyOf(firing, parts.policy);
  if (!isRecoverable(firing) && !mayRetry(retry)) return ended;
  const { maxHandOvers } = parts;
  const isLate = isPast(run, parts);
  const handOver = isLate ? null : handOverOf(firing, { maxHandOvers, hasNewCheckpoint });
  if (handOver !== null) return { ...ended, outcome: 'handedOver', handOver };
  const count = handOversOf(firing.trigger.data);
  const limit = isLate ? 'past its deadline or maxAge' : `maxHandOvers: ${maxHandOvers}`;
  const message = `A shutdown cut the run short, and it is not handed over after ${count} hand-overs (${limit}): ${failure.message}`;
  const error = new JobExecutionException(message, { cause: failure });
  return { ...ended, outcome: 'interrupted', failure: error, retry: { status: 'exhausted' } };
}

/** True if a repetition could only begin after the deadline of the run, or would exceed the `maxAge` of its retry policy. */
function isPast({ firing }: RunState, { clock, policy }: HandOverParts): boolean {
  const now = clock.now();
  const { maxAge = Number.POSITIVE_INFINITY, from } = policyOf(firing, policy).retry;
  const deadline = deadlineOf(firing) ?? Number.POSITIVE_INFINITY;
  return now >= deadline || now - (from?.time ?? occurrenceOf(firing).scheduledTime) > maxAge;
}
