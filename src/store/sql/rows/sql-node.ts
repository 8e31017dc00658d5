import type { Clock, EpochMs } from '../../../base/clock';
import type { WholePolicy } from '../../../domain/execution-policy';
import { maxFallbackAfter, type NodeScope } from '../../../domain/placement';
import type { FiringFence } from '../../cluster-store';
import type { TurnWatch } from '../runtime/turn-watch';
import type { JobDataForm } from './job-data';
import type { LockedRows, RejectedTriggers } from './skipped-triggers';
import type { UnreadableRows } from './unreadable-rows';

/**
 * A part of a row that cannot be read where the rest is used, data that its row cannot hold, or a change that the database
 * refuses: only that is left out, everything else goes on.
 */
export interface RowProblem {
  readonly what: 'trigger' | 'job' | 'calendar' | 'node';
  /** Default `reading`. */
  readonly doing?: 'firing' | 'giving back' | 'completing' | 'recovering the misfire of';
  /** As Quartz prints keys. */
  readonly name: string;
  readonly error: Error;
}

/** One start of a node of a cluster, until it leaves or is taken over; nothing is reserved or fired in one that has ended. */
export interface NodeIncarnation {
  /** Null: it has not joined yet. */
  epoch: string | null;
  /** What the node can run, as its row holds it; null: it has not said. */
  jobTypes: string | null;
  /** Whether it takes work, as its row says it. */
  status: 'MEMBER' | 'DRAINING';
}

/**
 * The node in its present incarnation. What is requested in it is done in it or not at all: repeated in a later one, it would
 * leave fired triggers that the recovery of this incarnation was to delete, and that nobody runs.
 */
export function inPresentIncarnation(node: SqlNode): SqlNode {
  return node.incarnation === undefined ? node : { ...node, incarnation: { ...node.incarnation } };
}

/** Who works on the tables: what every operation must know beyond its request. */
export interface SqlNode {
  readonly schedName: string;
  readonly instanceId: string;
  readonly newRunId: () => string;
  /** Set by joining the cluster. Without it, nobody may recover what the node has reserved. */
  readonly incarnation?: NodeIncarnation;
  /** The node's right to fire; without it, it may always. */
  readonly fence?: FiringFence;
  /** Of triggers whose row names none: those that Java wrote. Equal on all nodes. */
  readonly timeZone: string;
  /** In which job data of new rows is kept: `properties` with `useProperties`. */
  readonly newDataForm: Extract<JobDataForm, 'json' | 'properties'>;
  readonly clock: Clock;
  /** What it takes: its labels and priorities. */
  readonly scope: NodeScope;
  /** For jobs and triggers that leave something open. Equal on all nodes. */
  readonly policy: WholePolicy;
  /** What the database refuses to change. */
  readonly rejectedTriggers: RejectedTriggers;
  /** What sessions of no scheduler hold. */
  readonly lockedRows: LockedRows;
  /** Turns under rates that come up. */
  readonly turns: TurnWatch;
  /** What this node cannot understand. */
  readonly unreadable: UnreadableRows;
  /** Hears of every such row, each time it is met. */
  readonly onRowProblem: (row: RowProblem) => void;
}

/** What statements that look for due triggers need to know of the node. */
export function scopeParams({ scope }: SqlNode, clock: { readonly now: EpochMs; readonly misfireThreshold: number }) {
  return {
    labels: JSON.stringify(scope.labels),
    minPriority: scope.minPriority,
    maxPriority: scope.maxPriority,
    now: clock.now,
    maxFallbackAfter: maxFallbackAfter(clock),
  };
}
