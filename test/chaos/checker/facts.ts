import type { Done, End, Line, Noted, Start } from '../../cluster/support/history';
import type { AuditRow } from '../../cluster/support/tables';
import type { ExpectedTrigger } from '../../cluster/support/workload';

/** A span of the machine's monotonic clock. Milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A run of several processes, as it was written down. */
export interface Run {
  readonly history: readonly Line[];
  readonly audit: readonly AuditRow[];
  readonly expected: readonly ExpectedTrigger[];
  /** Processes that were killed, or ended by themselves, and when they were gone. */
  readonly killed: ReadonlyMap<string, number>;
  /** Processes that were stopped for longer than their lease, or cut off, and went on; `all`: any may have been. */
  readonly fenced: ReadonlySet<string> | 'all';
  /** SIGSTOP to SIGCONT. */
  readonly stops: readonly (Span & { readonly node: string })[];
  /** Triggers that still wait at the end, and for which time: late, and not lost. */
  readonly waitingFor?: ReadonlyMap<string, number>;
  /** The runs whose retries were used up, as the database keeps them. */
  readonly deadLetters?: ReadonlySet<string>;
  /** The wall clock of the machine, less its monotonic clock. */
  readonly wallOffset: number;
  /** How much before its time a job may begin; more than a few milliseconds only where the database's clock was stepped. */
  readonly earlyTolerance?: number;
  /** Others used the processors, so that a process had to wait for its turn. */
  readonly isBusy?: boolean;
}

/** A run, sorted out for those who judge a part of it. */
export interface Facts extends Run {
  /** In the order in which they began. */
  readonly starts: readonly Start[];
  /** First attempts. */
  readonly ordinary: readonly Start[];
  /** Attempts after one that failed. */
  readonly retries: readonly Start[];
  /** Whichever attempt, run again because its node was gone. */
  readonly recovering: readonly Start[];
  /** Executions of a process that are over. */
  readonly ends: ReadonlyMap<string, End>;
  /** Ids of those that failed after they were told to stop: if they ask for it they are recovered, and not tried again. */
  readonly givenUp: ReadonlySet<string>;
  /** Ids of those that were told to stop before they began: their node had lost its lease while it read their checkpoint. */
  readonly stoppedBefore: ReadonlySet<string>;
  /** Completions that were stored and told. */
  readonly done: ReadonlyMap<string, Done>;
  /** Completions that came too late and changed nothing. */
  readonly refused: ReadonlySet<string>;
  readonly events: readonly Noted[];
  /** When a process said that it had lost its lease. */
  readonly fencings: ReadonlyMap<string, readonly number[]>;
  /** The processes that lived under an instance id. */
  readonly nodesOf: (instanceId: string) => readonly string[];
  /** The process is dead, or was fenced at some time. */
  readonly isGone: (node: string) => boolean;
}

/** A job is noticed on the millisecond, and clocks are read in different ones. */
export const EARLY_TOLERANCE = 5;

/** A job that finds its signal aborted writes that down after its start, within so many milliseconds. */
const AT_ONCE = 5;

export const firingOf = (trigger: string, time: number) => `${trigger}@${time}`;
export const executionOf = ({ node, id }: { readonly node: string; readonly id: string }) => `${node} ${id}`;

export function describeStart({ node, trigger, time, id }: Start): string {
  return `${trigger} of ${new Date(time).toISOString()} on ${node} (${id})`;
}

export function factsOf(run: Run): Facts {
  const of = <T extends Line>(...kinds: readonly Line['line'][]) =>
    run.history.filter((line): line is T => kinds.includes(line.line));
  const starts = of<Start>('start').sort((a, b) => a.mono - b.mono);
  const events = of<Noted>('event');
  const fencings = grouped(
    events.filter(({ type }) => type === 'nodeFenced'),
    ({ node }) => node,
  );
  const created = grouped(of<Line & { readonly instanceId: string }>('created'), ({ instanceId }) => instanceId);
  const aborts = new Map(of<End>('abort').map((abort) => [executionOf(abort), abort.mono]));
  const isGivenUp = (end: End) => end.failed === true && aborts.has(executionOf(end));
  const isFenced = (node: string) => (run.fenced !== 'all' && run.fenced.has(node)) || fencings.has(node);
  const isStoppedBefore = (start: Start) =>
    (aborts.get(executionOf(start)) ?? Number.POSITIVE_INFINITY) < start.mono + AT_ONCE;
  return {
    ...run,
    starts,
    ordinary: starts.filter(({ recovers, retry }) => recovers === null && retry === undefined),
    retries: starts.filter(({ recovers, retry }) => recovers === null && retry !== undefined),
    recovering: starts.filter(({ recovers }) => recovers !== null),
    ends: new Map(of<End>('end').map((end) => [executionOf(end), end])),
    givenUp: new Set(
      of<End>('end')
        .filter(isGivenUp)
        .map(({ id }) => id),
    ),
    stoppedBefore: new Set(starts.filter(isStoppedBefore).map(({ id }) => id)),
    done: new Map(of<Done>('done').map((done) => [done.id, done])),
    refused: new Set(events.filter(({ type }) => type === 'completionFenced').map(({ id = '' }) => id)),
    events,
    fencings: new Map([...fencings].map(([node, found]) => [node, found.map(({ mono }) => mono)])),
    nodesOf: (instanceId) => created.get(instanceId)?.map(({ node }) => node) ?? [instanceId],
    isGone: (node) => run.killed.has(node) || isFenced(node),
  };
}

export function grouped<T>(list: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** When an execution was over: by itself, or with its process. What was killed while it was stopped did nothing since. */
export function endOf({ ends, killed, stops }: Facts, start: Start): number {
  const end = ends.get(executionOf(start))?.mono;
  if (end !== undefined) return end;
  const died = killed.get(start.node) ?? Number.POSITIVE_INFINITY;
  const stop = stops.find(({ node, from, to }) => node === start.node && from < died && to >= died);
  return stop?.from ?? died;
}
