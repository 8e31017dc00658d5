import type { EpochMs } from '../../base/clock';
import { DEFAULT_SQL } from '../../config/default-config';
import type { DemoBoard } from './demo-board';
import type { DemoPlan } from './demo-workload';

/** What came of the demo, compared with its plan. */
export interface DemoVerdict {
  readonly type: 'summary';
  readonly nodes: number;
  /** Fire times of the plan. */
  readonly expected: number;
  /** Of those, how many were fired once. */
  readonly firedOnce: number;
  readonly firedTwice: number;
  /** Never begun: the node that was killed had just taken them. */
  readonly lostWithNode: number;
  /** Never begun, for no reason at all. */
  readonly missing: number;
  /** Begun outside the plan. */
  readonly unexpected: number;
  readonly killedNode: string;
  /** What ran on the node when it was killed, and asked to be run again. */
  readonly interrupted: number;
  readonly recovered: number;
  /** From the kill to the first firing that was run again; null: none was. */
  readonly recoveredAfter: number | null;
  readonly latenessP50: number | null;
  readonly latenessP99: number | null;
  readonly latenessMax: number | null;
}

/** What the demo knows of the kill. */
export interface Kill {
  readonly node: string;
  readonly at: EpochMs;
  /** Firings, as `trigger@time`, that ran there and ask to be run again. */
  readonly interrupted: readonly string[];
}

/** The name of one firing of the plan. */
export function firingName(trigger: string, scheduledFireTime: EpochMs): string {
  return `${trigger}@${scheduledFireTime}`;
}

/** Compares what was started with what was planned. */
export function judgeDemo(plan: DemoPlan, board: DemoBoard, kill: Kill): DemoVerdict {
  const expected = new Set([...plan.fireTimes].flatMap(([name, times]) => times.map((time) => firingName(name, time))));
  const counts = new Map<string, number>();
  const recovered = new Map<string, EpochMs>();
  for (const { started } of board.starts) {
    const { trigger, scheduledFireTime, recovers, at } = started;
    if (recovers === null) {
      const name = firingName(trigger, scheduledFireTime);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } else {
      const name = firingName(recovers.trigger, recovers.scheduledFireTime);
      recovered.set(name, Math.min(at, recovered.get(name) ?? at));
    }
  }
  const once = [...expected].filter((name) => counts.get(name) === 1).length;
  const twice = [...counts.values()].filter((count) => count > 1).length;
  const absent = [...expected].filter((name) => !counts.has(name));
  const lost = absent.filter((name) => isLostWithNode(name, kill));
  const again = kill.interrupted.flatMap((name) => recovered.get(name) ?? []);
  return {
    type: 'summary',
    nodes: board.figures().length,
    expected: expected.size,
    firedOnce: once,
    firedTwice: twice,
    lostWithNode: lost.length,
    missing: absent.length - lost.length,
    unexpected: [...counts.keys()].filter((name) => !expected.has(name)).length,
    killedNode: kill.node,
    interrupted: kill.interrupted.length,
    recovered: again.length,
    recoveredAfter: again.length === 0 ? null : Math.min(...again) - kill.at,
    latenessP50: board.lateness.percentile(0.5),
    latenessP99: board.lateness.percentile(0.99),
    latenessMax: board.lateness.max,
  };
}

/** The longest a firing may take from its time to its start on a machine that is busy with three nodes. Milliseconds. */
const LONGEST_START = 2_000;

/** How far ahead of the kill a firing may be due that went with the node: it holds what its window covers, and dies a moment later. Milliseconds. */
const LONGEST_AHEAD = DEFAULT_SQL.batchTriggerAcquisitionFireAheadTimeWindow + 150;

function isLostWithNode(name: string, kill: Kill): boolean {
  const age = kill.at - Number(name.slice(name.lastIndexOf('@') + 1));
  return age >= -LONGEST_AHEAD && age <= LONGEST_START;
}

/** Whether the demo has shown what it promises. */
export function keptPromises(verdict: DemoVerdict): boolean {
  const { firedTwice, missing, unexpected, interrupted, recovered } = verdict;
  return firedTwice + missing + unexpected === 0 && interrupted > 0 && recovered === interrupted;
}
