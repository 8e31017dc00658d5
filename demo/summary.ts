import type { Started } from './jobs';
import type { DemoPlan } from './schedule';

/** A killed node. Times are epoch milliseconds. */
export interface Kill {
  readonly killedNode: string;
  readonly killedAt: number;
  /** Runs on the killed node that request recovery. */
  readonly interrupted: readonly Started[];
}

/** Firings of the demo. */
export interface DemoFirings {
  readonly nodes: number;
  readonly starts: readonly Started[];
  /** Null if no node was killed, because the only one ran in memory. */
  readonly kill: Kill | null;
  /** Names of the firings that are recorded as lost with the killed node. */
  readonly lost: readonly string[];
}

export type DemoSummary = ReturnType<typeof summarize>;

/** Returns the name of a firing. */
export const firingName = (trigger: string, fireTime: number) => `${trigger}@${fireTime}`;

/** Compares the firings with the plan. Durations are in milliseconds, and null without firings. */
export function summarize(plan: DemoPlan, { nodes, starts, kill, lost }: DemoFirings) {
  const interrupted = kill?.interrupted ?? [];
  const expected = plan.triggers.flatMap(({ name, fireTimes }) => fireTimes.map((time) => firingName(name, time)));
  const firings = starts.filter(({ isRecovery }) => !isRecovery);
  const counts = new Map(expected.map((name) => [name, 0]));
  for (const { trigger, scheduledFireTime } of firings) {
    const name = firingName(trigger, scheduledFireTime);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const numberOf = (isCounted: (name: string, count: number) => boolean) =>
    [...counts].filter(([name, count]) => isCounted(name, count)).length;
  const recoveries = interrupted.flatMap(
    ({ occurrenceId }) => starts.find((start) => start.isRecovery && start.occurrenceId === occurrenceId) ?? [],
  );
  const lateness = firings.map(({ at, scheduledFireTime: due }) => Math.max(0, at - due)).toSorted((a, b) => a - b);
  const percentile = (share: number) => lateness[Math.max(0, Math.ceil(lateness.length * share) - 1)] ?? null;
  return {
    type: 'summary',
    nodes,
    expected: expected.length,
    firedOnce: expected.filter((name) => counts.get(name) === 1).length,
    firedTwice: numberOf((_, count) => count > 1),
    /** Never started, because the killed node had acquired them. */
    lostWithNode: numberOf((name, count) => count === 0 && lost.includes(name)),
    /** Never started, without a known reason. */
    missing: numberOf((name, count) => count === 0 && !lost.includes(name)),
    unexpected: counts.size - expected.length,
    killedNode: kill?.killedNode ?? null,
    interrupted: interrupted.length,
    recovered: recoveries.length,
    recoveredAfter:
      kill === null || recoveries.length === 0 ? null : Math.min(...recoveries.map(({ at }) => at)) - kill.killedAt,
    latenessP50: percentile(0.5),
    latenessP99: percentile(0.99),
    latenessMax: percentile(1),
  };
}

/** True if no firing is doubled, missing or unexpected, and every interrupted job was recovered. */
export function hasSucceeded(summary: DemoSummary): boolean {
  const { firedTwice, missing, unexpected, killedNode, interrupted, recovered } = summary;
  const isKilled = killedNode === null || interrupted > 0;
  return firedTwice + missing + unexpected === 0 && isKilled && recovered === interrupted;
}

/** Returns the summary as sentences. */
export function describeSummary(summary: DemoSummary): readonly string[] {
  const { expected, nodes, firedOnce, firedTwice, lostWithNode, missing, unexpected, killedNode } = summary;
  const { recovered, interrupted, latenessP50, latenessP99, latenessMax } = summary;
  const faults = missing + unexpected === 0 ? '' : `, ${missing} missing, ${unexpected} unexpected`;
  const after = summary.recoveredAfter === null ? '' : `, the first ${summary.recoveredAfter} ms after the kill`;
  const due = `${expected} fire times were due ${killedNode === null ? 'in memory' : `on ${nodes} nodes`}`;
  const lost = killedNode === null ? '' : `, ${lostWithNode} lost with ${killedNode}`;
  const recovery = `${killedNode} was killed. Other nodes recovered ${recovered} of its ${interrupted} jobs that request recovery${after}.`;
  return [
    `${due}: ${firedOnce} fired once, ${firedTwice} twice${lost}${faults}.`,
    ...(killedNode === null ? [] : [recovery]),
    `Lateness: p50 ${latenessP50 ?? '-'} ms, p99 ${latenessP99 ?? '-'} ms, maximum ${latenessMax ?? '-'} ms.`,
  ];
}
