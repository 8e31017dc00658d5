import type { Start } from '../../cluster/support/history';
import type { Run } from './facts';

/** What is asked of the occurrences of some jobs. Durations are milliseconds. */
export interface JudgedKind {
  /** Its jobs are `name-0`, `name-1`, … */
  readonly name: string;
  readonly jobs: number;
  /** How each attempt ends that is not the last (null: there is none), and how the last one may. */
  readonly ends: { readonly before: string | null; readonly last: readonly string[] };
  /** Labels that a node needs. */
  readonly runsOn?: readonly string[];
  /** 5 unless given. */
  readonly priority?: number;
  readonly prefers?: { readonly label: string; readonly fallbackAfter: number };
  readonly retryDelay?: number;
  readonly startWithin?: number;
  readonly rate?: { readonly limit: number; readonly per: number };
  /** Runs of all its jobs at once: in the cluster, and on a node. */
  readonly limit?: number;
  readonly limitOnNode?: number;
  /** Of each job one run at a time. */
  readonly isAlone?: boolean;
  /** What each run finds in its data. */
  readonly found?: readonly unknown[];
  /** Its jobs count their runs in their data. */
  readonly counts?: boolean;
  /** Told once, so long after the first time. */
  readonly overdueAfter?: number;
}

export interface ScheduledKind extends JudgedKind {
  readonly times: readonly number[];
}

/** A start, and what these jobs write down besides: which attempt it is, and what it found. */
export type PolicyStart = Start & { readonly nth: number; readonly found?: readonly unknown[] };

/** As the history of runs has it. */
export interface EndedRun {
  readonly id: string;
  readonly job: string;
  readonly time: number;
  readonly attempt: number;
  readonly outcome: string;
  readonly ended: number;
}

/** What a node takes. */
export interface Place {
  readonly labels: readonly string[];
  readonly priorities?: { readonly min: number };
}

export interface PolicyFacts {
  /** `expected` is not looked at. */
  readonly run: Run;
  readonly kinds: readonly ScheduledKind[];
  readonly ended: readonly EndedRun[];
  /** By the names of members: what is before the `-` in the name of a process. */
  readonly places: Readonly<Record<string, Place>>;
  /** What the jobs that count have come to, by their names. */
  readonly counts: Readonly<Record<string, number>>;
  /** What begins later after its time is told. Milliseconds. */
  readonly lateAfter: number;
}

export const isOf =
  ({ name }: JudgedKind) =>
  ({ job }: { readonly job: string }) =>
    job.slice(0, job.lastIndexOf('-')) === name;

export const namesOf = ({ name, jobs }: JudgedKind) => Array.from({ length: jobs }, (_, index) => `${name}-${index}`);

export const placeOf = ({ node }: { readonly node: string }, places: PolicyFacts['places']): Place =>
  places[node.slice(0, node.lastIndexOf('-'))] ?? { labels: [] };
