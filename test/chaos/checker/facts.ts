import type { Done, End, Line, Noted, Start } from '../../cluster/support/history';
import type { AuditRow } from '../../cluster/support/tables';
import type { ExpectedTrigger } from '../../cluster/support/workload';

/** A span of the machine's monotonic clock. Milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The recorded history of several processes. */
export interface Run {
  readonly history: readonly Line[];
  readonly audit: readonly AuditRow[];
  readonly expected: readonly ExpectedTrigger[];
  /** Processes that were killed or ended, with the time of their end. */
  readonly killed: ReadonlyMap<string, number>;
  /** Processes that may have been fenced, because they were stopped or disconnected for longer than their lease; `all`: any process. */
  readonly fenced: ReadonlySet<string> | 'all';
  /** Spans from SIGSTOP to SIGCONT. */
  readonly stops: readonly (Span & { readonly node: string })[];
  /** Triggers that still wait at the end, with their next fire times, which count as late and not as lost. */
  readonly waitingFor?: ReadonlyMap<string, number>;
  /** Run ids of the dead letters in the database. */
  readonly deadLetters?: ReadonlySet<string>;
  /** The wall clock of the machine minus its monotonic clock. */
  readonly wallOffset: number;
  /** Maximum time by which a job may begin early; more than a few milliseconds only if the clock of the database was stepped. */
  readonly earlyTolerance?: number;
  /** True if other programs used the processors, so that processes had to wait. */
  readonly isBusy?: boolean;
}

/** The lines of a run, grouped for the checks. */
export interface Facts extends Run {
  /** Starts, in order of time. */
  readonly starts: readonly Start[];
  /** First attempts. */
  readonly ordinary: readonly Start[];
  /** Retries. */
  readonly retries: readonly Start[];
  /** Recoveries of any attempt. */
  readonly recovering: readonly Start[];
  /** Ended executions. */
  readonly ends: ReadonlyMap<string, End>;
  /** Ids of runs that failed after their abort: they are recovered if they request it, and not retried. */
  readonly givenUp: ReadonlySet<string>;
  /** Ids of runs that were aborted before they began, because their node lost its lease while it read their checkpoint. */
  readonly stoppedBefore: ReadonlySet<string>;
  /** Completions that were stored and reported. */
  readonly done: ReadonlyMap<string, Done>;
  /** Completions that were refused because they came too late. */
  readonly refused: ReadonlySet<string>;
  readonly events: readonly Noted[];
  /** Times at which processes reported a lost lease. */
  readonly fencings: ReadonlyMap<string, readonly number[]>;
  /** Processes by instance id. */
  readonly nodesOf: (instanceId: string) => readonly string[];
  /** Returns true if the process is dead or was ever fenced. */
  readonly isGone: (node: string) => boolean;
}

/** Tolerance of time comparisons, because clocks are read in different milliseconds. */
export const EARLY_TOLERANCE = 5;

/** Maximum time after its start in which a job records that its signal was already aborted. Milliseconds. */
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

/** End time of an execution or of its process. A process that is killed while it is stopped ends at its stop. */
export function endOf({ ends, killed, stops }: Facts, start: Start): number {
  const end = ends.get(executionOf(start))?.mono;
  if (end !== undefined) return end;
  const died = killed.get(start.node) ?? Number.POSITIVE_INFINITY;
  const stop = stops.find(({ node, from, to }) => node === start.node && from < died && to >= died);
  return stop?.from ?? died;
}
