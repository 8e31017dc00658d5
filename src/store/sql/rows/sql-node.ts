import type { Clock, EpochMs } from '../../../base/clock';
import type { WholePolicy } from '../../../domain/execution-policy';
import { maxFallbackAfter, type NodeScope } from '../../../domain/placement';
import { rulesIn, type SchedulerRules } from '../../../domain/rules';
import type { FiringFence } from '../../cluster-store';
import type { LimitWatch } from '../runtime/limit-watch';
import type { TurnWatch } from '../runtime/turn-watch';
import type { JavaNodes } from './java-nodes';
import type { JobDataForm } from './job-data';
import type { LockedRows, RejectedTriggers } from './skipped-triggers';
import type { UnreadableRows } from './unreadable-rows';

/** Problem with one row: unreadable, not storable, or rejected by the database. Only the affected part is left out; all other rows are processed. */
export interface RowProblem {
  readonly what: 'trigger' | 'job' | 'calendar' | 'node';
  /** Operation that failed. Default: `reading`. */
  readonly doing?: 'firing' | 'releasing' | 'completing' | 'recovering the misfire of';
  /** Key as `formatKey` writes it, or the name of a calendar or node. */
  readonly name: string;
  readonly error: Error;
}

/** One start of a cluster node, until the node leaves or is recovered. An incarnation that has ended can neither reserve nor fire triggers. */
export interface NodeIncarnation {
  /** Random id of the incarnation; null if the node has not joined yet. */
  epoch: string | null;
  /** Job types that the node can run, as a JSON array stored in its row. Null if the node has not published them. */
  jobTypes: string | null;
  /** Status stored in the node's row. DRAINING: the node acquires no triggers. */
  status: 'MEMBER' | 'DRAINING';
}

/**
 * Returns the node with a copy of its current incarnation. An operation that was requested in one incarnation must run in this incarnation or not at
 * all. In a later incarnation, it would leave fired triggers that no node executes, because the earlier incarnation has already been recovered.
 */
export function inPresentIncarnation(node: SqlNode): SqlNode {
  return node.incarnation === undefined ? node : { ...node, incarnation: { ...node.incarnation } };
}

export interface SqlNode {
  readonly schedName: string;
  readonly instanceId: string;
  readonly newRunId: () => string;
  /** Set when the node joins the cluster. If absent, no other node may recover this node's reservations. */
  readonly incarnation?: NodeIncarnation;
  /** Permission to fire. If absent, the node may always fire. */
  readonly fence?: FiringFence;
  /** Time zone for triggers whose row has none (written by Java). Must be the same on all nodes. */
  readonly timeZone: string;
  /** Format of job data in new rows: `properties` if `useProperties` is set, `json` otherwise. Beside Java nodes see `dataFormsOf`. */
  readonly newDataForm: Extract<JobDataForm, 'json' | 'properties'>;
  readonly javaNodes: JavaNodes;
  readonly clock: Clock;
  readonly scope: NodeScope;
  /** Policy for settings that jobs and triggers omit. Must be the same on all nodes. */
  readonly policy: WholePolicy;
  readonly rejectedTriggers: RejectedTriggers;
  readonly lockedRows: LockedRows;
  readonly turns: TurnWatch;
  readonly limits: LimitWatch;
  readonly unreadable: UnreadableRows;
  /** Called for every row problem, each time it occurs. */
  readonly onRowProblem: (row: RowProblem) => void;
}

/**
 * Returns the formats of job data to store. Beside living Java nodes, data that would be JSON gets a form that they read: the one of Java, or
 * Properties with `useProperties`, which then must be set on all nodes.
 */
export function dataFormsOf({ newDataForm, javaNodes }: Pick<SqlNode, 'newDataForm' | 'javaNodes'>) {
  if (!javaNodes.areAlive) return { newForm: newDataForm, replacesJson: false };
  return { newForm: newDataForm === 'json' ? ('javaSerialized' as const) : newDataForm, replacesJson: true };
}

export function scopeParams({ scope }: SqlNode, clock: { readonly now: EpochMs; readonly misfireThreshold: number }) {
  return {
    labels: JSON.stringify(scope.labels),
    minPriority: scope.minPriority,
    maxPriority: scope.maxPriority,
    now: clock.now,
    maxFallbackAfter: maxFallbackAfter(clock),
  };
}

/** Returns the rules of the node's scheduler, and the clock changes of cron triggers that are stored without their own. */
export function rulesOf({ policy }: Pick<SqlNode, 'policy'>): SchedulerRules {
  return rulesIn(policy);
}

/** Returns the request with the rules of the node's scheduler. */
export function withRulesOf<Request extends object>(node: SqlNode, request: Request): Request & SchedulerRules {
  return { ...request, ...rulesOf(node) };
}
