import type { End, Line, Noted, Start } from './history';
import type { AuditRow } from './tables';
import type { ExpectedTrigger } from './workload';

/** A run of several processes, as it was written down. */
export interface Run {
  readonly history: readonly Line[];
  readonly audit: readonly AuditRow[];
  readonly expected: readonly ExpectedTrigger[];
  /** Instance ids of nodes that were killed. */
  readonly killed: ReadonlySet<string>;
  /** Instance ids of nodes that were stopped for longer than their lease, or cut off, and went on. */
  readonly fenced: ReadonlySet<string>;
}

/** What was found; every list of `violations` must be empty. */
export interface Verdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
}

/** A job may be noticed on the millisecond, and clocks are read in different ones. */
const EARLY_TOLERANCE = 5;

const firingOf = (trigger: string, time: number) => `${trigger}@${time}`;

/** Judges a run by what must hold whatever happens. */
export function checkHistory(run: Run): Verdict {
  const starts = run.history.filter((line): line is Start => line.line === 'start');
  const ordinary = starts.filter(({ recovers }) => recovers === null);
  const recovering = starts.filter(({ recovers }) => recovers !== null);
  const ends = new Set(run.history.filter((line): line is End => line.line === 'end').map(({ id }) => id));
  const died = starts.filter(({ id }) => !ends.has(id));
  const parts: Parts = { ...run, starts, ordinary, recovering, ends, died };
  const lost = findLost(parts);
  const late = ordinary.map(({ wall, time }) => wall - time).sort((a, b) => a - b);
  return {
    counts: {
      expected: run.expected.reduce((sum, { times }) => sum + times.length, 0),
      started: ordinary.length,
      lostWithTheirNode: lost.explained.length,
      interrupted: died.length,
      runAgain: recovering.length,
      killedNodes: run.killed.size,
      latenessP50: late[Math.floor(late.length / 2)] ?? 0,
      latenessP99: late[Math.floor(late.length * 0.99)] ?? 0,
      latenessMax: late.at(-1) ?? 0,
    },
    violations: {
      startedTwice: findTwice(parts),
      startedUnexpectedly: findUnexpected(parts),
      missing: lost.unexplained,
      startedEarly: ordinary.filter(({ wall, time }) => wall < time - EARLY_TOLERANCE).map(describe),
      overlapping: findOverlaps(parts),
      neverFired: findNeverFired(parts),
      recoveredAlthoughAlive: findNeedlessRecoveries(parts),
      recoveredTwice: findRecoveredTwice(parts),
      notRecovered: findNotRecovered(parts),
      ...findEvents(parts),
    },
  };
}

/** The verdict in one line for each count, and nothing else if all is well. */
export function describeVerdict({ counts, violations }: Verdict): string {
  const broken = Object.entries(violations).filter(([, found]) => found.length > 0);
  return [
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
    ...broken.map(([name, found]) => `${name}: ${found.length}, such as ${found.slice(0, 3).join('; ')}`),
  ].join('\n');
}

interface Parts extends Run {
  readonly starts: readonly Start[];
  readonly ordinary: readonly Start[];
  readonly recovering: readonly Start[];
  /** Ids of executions that have ended. */
  readonly ends: ReadonlySet<string>;
  readonly died: readonly Start[];
}

function describe({ node, trigger, time, id }: Start): string {
  return `${trigger} of ${new Date(time).toISOString()} on ${node} (${id})`;
}

/** I1: each fire time of a trigger begins at most once. */
function findTwice({ ordinary }: Parts): readonly string[] {
  const seen = new Set<string>();
  return ordinary
    .filter(({ trigger, time }) => {
      const firing = firingOf(trigger, time);
      return seen.has(firing) || !seen.add(firing);
    })
    .map(describe);
}

function findUnexpected({ ordinary, expected }: Parts): readonly string[] {
  const wanted = new Set(expected.flatMap(({ trigger, times }) => times.map((time) => firingOf(trigger, time))));
  return ordinary.filter(({ trigger, time }) => !wanted.has(firingOf(trigger, time))).map(describe);
}

/** I17: what never began was fired by a node that was killed, or lost its lease, before it could begin; the database knows which. */
function findLost({ ordinary, expected, audit, killed, fenced }: Parts) {
  const begun = new Set(ordinary.map(({ trigger, time }) => firingOf(trigger, time)));
  const firedBy = new Map(
    audit
      .filter(({ state, op }) => state === 'EXECUTING' && op !== 'D')
      .map(({ triggerName, schedTime, instanceName }) => [firingOf(triggerName, Number(schedTime)), instanceName]),
  );
  const absent = expected
    .flatMap(({ trigger, times }) => times.map((time) => firingOf(trigger, time)))
    .filter((firing) => !begun.has(firing));
  const isExplained = (firing: string) => [killed, fenced].some((gone) => gone.has(firedBy.get(firing) ?? ''));
  return {
    explained: absent.filter(isExplained),
    unexplained: absent
      .filter((firing) => !isExplained(firing))
      .map((firing) => `${firing} (fired by ${firedBy.get(firing) ?? 'nobody'})`),
  };
}

/** I2: an exclusive job runs once at a time; what was killed ran until then, what was fenced may have gone on for a moment. */
function findOverlaps({ history, starts, expected, fenced, died }: Parts): readonly string[] {
  const exclusive = new Set(expected.filter(({ load }) => load.exclusive).map(({ job }) => job));
  const endOf = new Map(history.filter((line): line is End => line.line === 'end').map((end) => [end.id, end.mono]));
  const lastOf = new Map(history.map(({ node, mono }) => [node, mono]));
  const isDead = new Set(died.map(({ id }) => id));
  const byJob = new Map<string, Start[]>();
  for (const start of starts) {
    if (exclusive.has(start.job)) byJob.set(start.job, [...(byJob.get(start.job) ?? []), start]);
  }
  return [...byJob.values()].flatMap((runs) =>
    runs.flatMap((start, index) => {
      const before = runs[index - 1];
      if (before === undefined || fenced.has(before.node) || fenced.has(start.node)) return [];
      const end = isDead.has(before.id) ? (lastOf.get(before.node) ?? 0) : (endOf.get(before.id) ?? 0);
      return start.mono < end ? [`${describe(before)} and ${describe(start)}`] : [];
    }),
  );
}

/** I7: what begins has been fired, by that node, in the database. */
function findNeverFired({ starts, audit }: Parts): readonly string[] {
  const fired = new Set(
    audit.filter(({ state }) => state === 'EXECUTING').map(({ entryId, instanceName }) => `${instanceName} ${entryId}`),
  );
  return starts.filter(({ node, id }) => !fired.has(`${node} ${id}`)).map(describe);
}

/** I9: a recovery stands for a firing of a node that was killed or fenced. */
function findNeedlessRecoveries({ recovering, audit, killed, fenced }: Parts): readonly string[] {
  const owner = new Map(audit.map(({ entryId, instanceName }) => [entryId, instanceName]));
  return recovering
    .filter(({ recovers }) => {
      const node = owner.get(recovers as string) ?? '';
      return !killed.has(node) && !fenced.has(node);
    })
    .map(describe);
}

/** No execution is run again more often than it died. */
function findRecoveredTwice({ recovering, died }: Parts): readonly string[] {
  const deaths = new Map<string, number>();
  for (const { id, recovers } of died) deaths.set(recovers ?? id, (deaths.get(recovers ?? id) ?? 0) + 1);
  const again = new Map<string, Start[]>();
  for (const start of recovering) {
    const id = start.recovers as string;
    again.set(id, [...(again.get(id) ?? []), start]);
  }
  return [...again].flatMap(([id, starts]) => {
    // Fired and not begun, or ended and not completed, when its node died: these deaths left no trace in the history.
    const most = Math.max(1, (deaths.get(id) ?? 0) + 1);
    return starts.length > most ? starts.map(describe) : [];
  });
}

/** I18: what asks for recovery and did not end begins again. */
function findNotRecovered({ died, recovering, expected, killed }: Parts): readonly string[] {
  const recoverable = new Set(expected.filter(({ load }) => load.recovers).map(({ job }) => job));
  return died
    .filter(({ job, node }) => recoverable.has(job) && killed.has(node))
    .filter(
      ({ id, recovers, mono }) => !recovering.some((again) => again.recovers === (recovers ?? id) && again.mono > mono),
    )
    .map(describe);
}

/** I21 and the like: what the nodes said that they should not have had to say. */
function findEvents({ history, killed, fenced }: Parts) {
  const events = history.filter((line): line is Noted => line.line === 'event');
  const of = (type: string) => events.filter((event) => event.type === type);
  const text = ({ node, type, instanceId = '', error = '', reason = '' }: Noted) =>
    [node, type, instanceId, reason, error].filter((part) => part !== '').join(' ');
  const isGone = (id: string | undefined) => id !== undefined && (killed.has(id) || fenced.has(id));
  return {
    falseFailOvers: of('nodeFailed')
      .filter(({ instanceId }) => !isGone(instanceId))
      .map(text),
    fencedForNothing: of('nodeFenced')
      .filter(({ node }) => !fenced.has(node))
      .map(text),
    statesRepaired: of('statesRepaired').map(text),
  };
}

/** Errors that the nodes told of; whether they are allowed depends on what was done to them. */
export function errorsIn(history: readonly Line[]): readonly string[] {
  return history
    .filter((line): line is Noted => line.line === 'event' && line.type === 'schedulerError')
    .map(({ node, error }) => `${node}: ${error}`);
}
