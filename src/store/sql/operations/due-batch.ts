import type { EpochMs } from '../../../base/clock';
import type { DueTriggers } from '../../../domain/acquisition';
import type { BatchLimiter } from '../../../domain/batch-limiter';
import type { FiringTerms } from '../../../domain/firing';
import type { GroupCapacity } from '../../../domain/group-limits';
import { keyText } from '../../../domain/keys';
import type { AcquireRequest } from '../../job-store';
import type { ReadTrigger } from '../rows/read-rows';
import type { SqlNode } from '../rows/sql-node';
import type { RefusedTrigger } from './firings';

/** An acquire request with its arrival time. The request may wait a long time for the lock. */
export interface TimedRequest extends AcquireRequest {
  /** Arrival time on the node's monotonic clock, in milliseconds. */
  readonly requestedAt: number;
  /** Called with the triggers that were read under the lock. */
  readonly onRead?: (due: readonly ReadTrigger[]) => void;
}

/** Current time in milliseconds: the request's time plus the time since its arrival. More triggers may have become due since then. */
export function presentTime(node: SqlNode, { now, requestedAt }: TimedRequest): EpochMs {
  return now + Math.floor(node.clock.monotonic() - requestedAt);
}

/** Candidates for a batch: triggers that may fire, and triggers that a concurrency limit or rate limit refused. */
interface Candidates extends DueTriggers<ReadTrigger> {
  readonly refused: readonly RefusedTrigger[];
  readonly termsOf: (read: ReadTrigger) => FiringTerms | null;
}

/** Offers due triggers in firing order: at most one per non-concurrent job, within limits, rates and group capacity (null: no group is limited). */
export function candidatesAmong(
  due: readonly ReadTrigger[],
  limiter: BatchLimiter,
  groups: GroupCapacity | null,
  maxRefused: number,
): Candidates {
  const jobs = new Set<string>();
  const refused: RefusedTrigger[] = [];
  const terms = new Map<ReadTrigger, FiringTerms>();
  let next = 0;
  return {
    refused,
    termsOf: (read) => terms.get(read) ?? null,
    takeDueBy(time) {
      for (;;) {
        const read = due[next];
        if (read === undefined || (read.trigger.nextFireTime ?? Number.POSITIVE_INFINITY) > time) return null;
        next++;
        const job = read.jobDetail.disallowConcurrentExecution ? keyText(read.jobDetail.key) : null;
        if (job !== null && jobs.has(job)) continue;
        if (groups?.hasCapacity(read.jobDetail.key.group) === false) continue;
        const verdict = limiter.judge(read);
        if (verdict.status === 'endsBatch') return null;
        if (verdict.status !== 'taken') {
          refused.push({ row: read.row, verdict });
          if (refused.length >= maxRefused) return null;
          continue;
        }
        if (verdict.terms !== null) terms.set(read, verdict.terms);
        if (job !== null) jobs.add(job);
        groups?.take(read.jobDetail.key.group);
        return read;
      }
    },
  };
}
