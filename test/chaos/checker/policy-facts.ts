import type { Start } from '../../cluster/support/history';
import type { Run } from './facts';

/** A kind of jobs, with the expectations for their occurrences. Durations are milliseconds. */
export interface JudgedKind {
  /** Prefix of the jobs `name-0`, `name-1`, … */
  readonly name: string;
  readonly jobs: number;
  /** Outcome of every attempt before the last (null: there is only one attempt), and allowed outcomes of the last. */
  readonly ends: { readonly before: string | null; readonly last: readonly string[] };
  /** Required labels of the node. */
  readonly runsOn?: readonly string[];
  /** Default: 5. */
  readonly priority?: number;
  readonly prefers?: { readonly label: string; readonly fallbackAfter: number };
  readonly retryDelay?: number;
  readonly startWithin?: number;
  readonly rate?: { readonly limit: number; readonly per: number };
  /** Maximum number of concurrent runs of all its jobs, in the cluster and on a node. */
  readonly limit?: number;
  readonly limitOnNode?: number;
  /** True if each job runs once at a time. */
  readonly isAlone?: boolean;
  /** Data that each run finds. */
  readonly found?: readonly unknown[];
  /** True if its jobs count their runs in their data. */
  readonly counts?: boolean;
  /** Time after the first fire time after which the job is reported as overdue, once. */
  readonly overdueAfter?: number;
}

export interface ScheduledKind extends JudgedKind {
  readonly times: readonly number[];
}

/** A start, with the number of the attempt and the data that it found. */
export type PolicyStart = Start & { readonly nth: number; readonly found?: readonly unknown[] };

/** A run in the history. */
export interface EndedRun {
  readonly id: string;
  readonly job: string;
  readonly time: number;
  readonly attempt: number;
  readonly outcome: string;
  readonly ended: number;
}

/** Labels and accepted priorities of a node. */
export interface Place {
  readonly labels: readonly string[];
  readonly priorities?: { readonly min: number };
}

export interface PolicyFacts {
  /** The recorded history; `expected` is ignored. */
  readonly run: Run;
  readonly kinds: readonly ScheduledKind[];
  readonly ended: readonly EndedRun[];
  /** Nodes by the name of their member, which is the part of a process name before the `-`. */
  readonly places: Readonly<Record<string, Place>>;
  /** Final counters of the counting jobs, by job name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Lateness from which a firing is reported as late. Milliseconds. */
  readonly lateAfter: number;
}

export const isOf =
  ({ name }: JudgedKind) =>
  ({ job }: { readonly job: string }) =>
    job.slice(0, job.lastIndexOf('-')) === name;

export const namesOf = ({ name, jobs }: JudgedKind) => Array.from({ length: jobs }, (_, index) => `${name}-${index}`);

export const placeOf = ({ node }: { readonly node: string }, places: PolicyFacts['places']): Place =>
  places[node.slice(0, node.lastIndexOf('-'))] ?? { labels: [] };
