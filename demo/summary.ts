import { type DemoBoard, percentile } from './board';
import type { DemoPlan } from './schedule';
import { formatDuration } from './view';

/** Result of the demo, compared with its plan. Durations are in milliseconds. */
export interface DemoSummary {
  readonly type: 'summary';
  readonly nodes: number;
  /** Number of fire times in the plan. */
  readonly expected: number;
  /** Number of these that were fired once. */
  readonly firedOnce: number;
  readonly firedTwice: number;
  /** Number of firings that never started, because the killed node had acquired them. They are recorded as lost. */
  readonly lostWithNode: number;
  /** Number of firings that never started, without a known reason. */
  readonly missing: number;
  /** Number of firings outside the plan. */
  readonly unexpected: number;
  readonly killedNode: string;
  /** Number of running jobs that request recovery on the node when it was killed. */
  readonly interrupted: number;
  readonly recovered: number;
  /** Time from the kill to the first recovered firing. Null: none was recovered. */
  readonly recoveredAfter: number | null;
  readonly latenessP50: number | null;
  readonly latenessP99: number | null;
  readonly latenessMax: number | null;
}

/** The killed node, the time in epoch milliseconds, and the recoverable firings (`trigger@time`) that ran on it. */
export interface Kill {
  readonly node: string;
  readonly at: number;
  readonly interrupted: readonly string[];
}

/** Returns the name of a firing of the plan. */
export function firingName(firing: { readonly trigger: string; readonly scheduledFireTime: number }): string {
  return `${firing.trigger}@${firing.scheduledFireTime}`;
}

/** Compares the firings with the plan. `lost`: recorded runs (`trigger@time`) that were lost with the killed node. */
export function summarize(
  plan: DemoPlan,
  board: DemoBoard,
  kill: Kill,
  lost: ReadonlySet<string> = new Set(),
): DemoSummary {
  const expected = new Set(
    [...plan.fireTimes].flatMap(([trigger, times]) =>
      times.map((scheduledFireTime) => firingName({ trigger, scheduledFireTime })),
    ),
  );
  const counts = new Map<string, number>();
  const recovered = new Map<string, number>();
  for (const started of board.starts) {
    const name = firingName(started.recovers ?? started);
    if (started.recovers === null) counts.set(name, (counts.get(name) ?? 0) + 1);
    else recovered.set(name, Math.min(started.at, recovered.get(name) ?? started.at));
  }
  const absent = [...expected].filter((name) => !counts.has(name));
  const lostWithNode = absent.filter((name) => lost.has(name)).length;
  const recoveredAt = kill.interrupted.flatMap((name) => recovered.get(name) ?? []);
  const latenessMs = board.nodes.flatMap((node) => node.latenessMs);
  return {
    type: 'summary',
    nodes: board.nodes.length,
    expected: expected.size,
    firedOnce: [...expected].filter((name) => counts.get(name) === 1).length,
    firedTwice: [...counts.values()].filter((count) => count > 1).length,
    lostWithNode,
    missing: absent.length - lostWithNode,
    unexpected: [...counts.keys()].filter((name) => !expected.has(name)).length,
    killedNode: kill.node,
    interrupted: kill.interrupted.length,
    recovered: recoveredAt.length,
    recoveredAfter: recoveredAt.length === 0 ? null : Math.min(...recoveredAt) - kill.at,
    latenessP50: percentile(latenessMs, 0.5),
    latenessP99: percentile(latenessMs, 0.99),
    latenessMax: percentile(latenessMs, 1),
  };
}

/** True if no firing is doubled, missing or unexpected, and every interrupted job was recovered. */
export function hasSucceeded({ firedTwice, missing, unexpected, interrupted, recovered }: DemoSummary): boolean {
  return firedTwice + missing + unexpected === 0 && interrupted > 0 && recovered === interrupted;
}

/** Returns the summary as sentences. */
export function describeSummary(summary: DemoSummary): readonly string[] {
  const { expected, firedOnce, firedTwice, lostWithNode, missing, unexpected, killedNode } = summary;
  const faults = missing + unexpected === 0 ? '' : `, ${missing} missing, ${unexpected} unexpected`;
  return [
    `${expected} fire times were due on ${summary.nodes} nodes: ${firedOnce} fired once, ${firedTwice} twice, ` +
      `${lostWithNode} lost with ${killedNode}${faults}.`,
    `${killedNode} was killed. Other nodes recovered ${summary.recovered} of its ${summary.interrupted} jobs that request recovery, ` +
      `the first ${formatDuration(summary.recoveredAfter)} after the kill.`,
    `Lateness: p50 ${formatDuration(summary.latenessP50)}, p99 ${formatDuration(summary.latenessP99)}, ` +
      `maximum ${formatDuration(summary.latenessMax)}.`,
  ];
}
