import type { AuditRow } from '../../cluster/support/tables';
import { describeStart, EARLY_TOLERANCE, type Facts, firingOf, grouped } from './facts';

/** Results of all expected fire times. */
export interface Occurrences {
  readonly due: number;
  readonly twice: readonly string[];
  readonly unexpected: readonly string[];
  readonly early: readonly string[];
  readonly missing: readonly string[];
  /** Number of fire times that their triggers still wait for. */
  readonly waiting: number;
  /** Fired by a process that ended before they began. */
  readonly lostWithTheirNode: readonly string[];
}

/** Checks that each fire time begins once. Only a dead node may lose one. */
export function judgeOccurrences(facts: Facts): Occurrences {
  const due = facts.expected.flatMap(({ trigger, times }) => times.map((time) => firingOf(trigger, time)));
  const firings = firingsInDatabase(facts);
  const begun = new Set(facts.starts.map(({ origin, time }) => firingOf(origin, time)));
  const waiting = stillWaiting(facts);
  const absent = due.filter((firing) => !begun.has(firing) && !waiting.has(firing));
  const wasTakenFromTheGone = takenFromTheGone(facts);
  const lost = absent.filter((firing) => firings.get(firing)?.some(wasTakenFromTheGone));
  const isLost = new Set(lost);
  const owner = (firing: string) => firings.get(firing)?.[0]?.instanceName ?? 'nobody';
  return {
    due: due.length,
    twice: [...begunTwice(facts), ...firedTwice(firings, new Set(due))],
    unexpected: notDue(facts, new Set(due)),
    early: tooEarly(facts),
    missing: absent.filter((firing) => !isLost.has(firing)).map((firing) => `${firing} (fired by ${owner(firing)})`),
    waiting: [...waiting].filter((firing) => !begun.has(firing)).length,
    lostWithTheirNode: lost,
  };
}

/** Firings that were executing at some time, according to the audit of the database. */
function firingsInDatabase({ audit }: Facts): Map<string, AuditRow[]> {
  const executing = audit.filter(({ state, op }) => state === 'EXECUTING' && op !== 'D');
  return grouped(executing, ({ triggerName, schedTime }) => firingOf(triggerName, Number(schedTime)));
}

/** Returns true for rows of dead nodes that were deleted. A row that stays is a firing of a live node that never begins. */
function takenFromTheGone({ audit, nodesOf, isGone }: Facts): (row: AuditRow) => boolean {
  const deleted = new Set(audit.filter(({ op }) => op === 'D').map(({ entryId }) => entryId));
  return ({ entryId, instanceName }) => deleted.has(entryId) && nodesOf(instanceName).some(isGone);
}

function stillWaiting({ expected, waitingFor = new Map() }: Facts): ReadonlySet<string> {
  const of = ({ trigger, times }: Facts['expected'][number]) => {
    const next = waitingFor.get(trigger) ?? Number.POSITIVE_INFINITY;
    return times.filter((time) => time >= next).map((time) => firingOf(trigger, time));
  };
  return new Set(expected.flatMap(of));
}

function begunTwice({ ordinary }: Facts): readonly string[] {
  const seen = new Set<string>();
  return ordinary
    .filter((start) => {
      const firing = plannedFiring(start);
      return seen.has(firing) || !seen.add(firing);
    })
    .map(describeStart);
}

/** Fire times that were fired twice, even if only one firing began. */
function firedTwice(firings: ReadonlyMap<string, readonly AuditRow[]>, due: ReadonlySet<string>): readonly string[] {
  return [...firings]
    .filter(([firing]) => due.has(firing))
    .map(([firing, rows]) => ({ firing, ids: new Set(rows.map(({ entryId }) => entryId)) }))
    .filter(({ ids }) => ids.size > 1)
    .map(({ firing, ids }) => `${firing} in the database: ${[...ids].join(' and ')}`);
}

function notDue({ ordinary }: Facts, due: ReadonlySet<string>): readonly string[] {
  return ordinary.filter((start) => !due.has(plannedFiring(start))).map(describeStart);
}

/** The planned firing of a run. A deferred firing has a trigger of its own, with the fire time of the original firing. */
function plannedFiring({ trigger, origin, time }: Facts['ordinary'][number]): string {
  return firingOf(trigger.startsWith('deferred_') ? origin : trigger, time);
}

function tooEarly({ ordinary, wallOffset, earlyTolerance = EARLY_TOLERANCE }: Facts): readonly string[] {
  return ordinary.filter(({ mono, time }) => mono + wallOffset < time - earlyTolerance).map(describeStart);
}
