import type { Clock, EpochMs } from '../../../base/clock';
import type { WholePolicy } from '../../../domain/execution-policy';
import { maxFallbackAfter, type NodeScope } from '../../../domain/placement';
import type { FiringFence } from '../../cluster-store';
import type { TurnWatch } from '../runtime/turn-watch';
import type { JobDataForm } from './job-data';
import type { LockedRows, RejectedTriggers } from './skipped-triggers';
import type { UnreadableRows } from './unreadable-rows';

/**
 * A problem with one row: a part of it is unreadable, its data does not fit, or the database rejects a change. Only the affected part is left
 * out, and everything else continues.
 */
export interface RowProblem {
  readonly what: 'trigger' | 'job' | 'calendar' | 'node';
  /** Default: `reading`. */
  readonly doing?: 'firing' | 'giving back' | 'completing' | 'recovering the misfire of';
  /** Key in Quartz's notation. */
  readonly name: string;
  readonly error: Error;
}

/** One start of a cluster node, until it leaves or is recovered. An incarnation that has ended can neither reserve nor fire. */
export interface NodeIncarnation {
  /** Random id of the incarnation; null if the node has not joined yet. */
  epoch: string | null;
  /** Job types that the node can run, as stored in its row; null if it has not published them. */
  jobTypes: string | null;
  /** DRAINING if the node takes no new work, as stored in its row. */
  status: 'MEMBER' | 'DRAINING';
}

/**
 * Fixes the node's current incarnation. Work requested in one incarnation is done in it or not at all. Repeated in a later one, it would leave
 * fired triggers that no node runs, because the recovery of the earlier incarnation has already happened.
 */
export function inPresentIncarnation(node: SqlNode): SqlNode {
  return node.incarnation === undefined ? node : { ...node, incarnation: { ...node.incarnation } };
}

/** Settings and state of a node that every operation needs. */
export interface SqlNode {
  readonly schedName: string;
  readonly instanceId: string;
  readonly newRunId: () => string;
  /** Set by joining the cluster. If absent, no other node may recover this node's reservations. */
  readonly incarnation?: NodeIncarnation;
  /** The node's right to fire. If absent, it may always fire. */
  readonly fence?: FiringFence;
  /** Time zone for triggers whose row has none (written by Java). Must be the same on all nodes. */
  readonly timeZone: string;
  /** Format of job data in new rows: `properties` with `useProperties`. */
  readonly newDataForm: Extract<JobDataForm, 'json' | 'properties'>;
  readonly clock: Clock;
  /** Labels of the node, and the priorities it takes. */
  readonly scope: NodeScope;
  /** Policy for settings that jobs and triggers omit. Must be the same on all nodes. */
  readonly policy: WholePolicy;
  /** Triggers that the database rejects. */
  readonly rejectedTriggers: RejectedTriggers;
  /** State of rows that sessions outside the cluster may have locked. */
  readonly lockedRows: LockedRows;
  /** Coming turns of rates. */
  readonly turns: TurnWatch;
  /** Rows that this node cannot read. */
  readonly unreadable: UnreadableRows;
  /** Called for every row problem, each time it occurs. */
  readonly onRowProblem: (row: RowProblem) => void;
}

/** Returns the parameters of the node that queries for due triggers need. */
export function scopeParams({ scope }: SqlNode, clock: { readonly now: EpochMs; readonly misfireThreshold: number }) {
  return {
    labels: JSON.stringify(scope.labels),
    minPriority: scope.minPriority,
    maxPriority: scope.maxPriority,
    now: clock.now,
    maxFallbackAfter: maxFallbackAfter(clock),
  };
}
