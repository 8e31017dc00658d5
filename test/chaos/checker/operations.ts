import type { Line } from '../../cluster/support/history';
import { executionOf } from './facts';

/*
 * Checks of operations on nodes while they fire: drains and declarations.
 */

/** A drained process, from the acknowledgement of the drain until the undrain. Times of the machine's monotonic clock. */
export interface DrainedSpan {
  readonly node: string;
  readonly from: number;
  readonly to: number;
}

/** A set that two nodes declared at once, and the schedules that were stored afterwards. */
export interface Declaration {
  readonly declared: readonly string[];
  readonly stored: readonly string[];
}

/** A firing of the trigger that every set declares. */
export interface Tick {
  readonly node: string;
  readonly mono: number;
  readonly time: number;
  readonly isRecovering: boolean;
}

export interface OperatedFacts {
  readonly history: readonly Line[];
  readonly drained: readonly DrainedSpan[];
  readonly declarations: readonly Declaration[];
  /** Schedules of other sets, which no declaration may change. */
  readonly others: readonly string[];
  /** Time between two ticks. Milliseconds. */
  readonly interval: number;
}

export function judgeOperations(facts: OperatedFacts): Readonly<Record<string, readonly string[]>> {
  return {
    startedOnDrained: startedOnDrained(facts),
    cutShort: cutShort(facts),
    declaredOtherwise: declaredOtherwise(facts),
    ticksMoved: ticksMoved(facts),
  };
}

export const ticksIn = (history: readonly Line[]): readonly Tick[] =>
  history.filter(({ line }) => (line as string) === 'tick') as unknown as readonly Tick[];

function startedOnDrained({ history, drained }: OperatedFacts): readonly string[] {
  const starts = [...history.filter(({ line }) => line === 'start'), ...ticksIn(history)];
  return drained.flatMap(({ node, from, to }) =>
    starts
      .filter((start) => start.node === node && start.mono > from && start.mono < to)
      .map(({ mono }) => `${node}: ${Math.round(mono - from)} ms after it had said that it drains`),
  );
}

/** Jobs that were interrupted although their node had not lost its lease. A drain must not interrupt jobs. */
function cutShort({ history }: OperatedFacts): readonly string[] {
  const fenced = new Set(
    history.filter((line) => line.line === 'event' && line.type === 'nodeFenced').map(({ node }) => node),
  );
  return history.flatMap((line) => (line.line === 'abort' && !fenced.has(line.node) ? [executionOf(line)] : []));
}

function declaredOtherwise({ declarations, others }: OperatedFacts): readonly string[] {
  return declarations.flatMap(({ declared, stored }) => {
    const expected = [...declared, ...others].sort().join(', ');
    const found = [...stored].sort().join(', ');
    return found === expected ? [] : [`${found} in place of ${expected}`];
  });
}

/** Fire times that were skipped or fired twice, although declaring an unchanged schedule must not move it. */
function ticksMoved({ history, interval }: OperatedFacts): readonly string[] {
  const ticks = ticksIn(history);
  const first = ticks.filter(({ isRecovering }) => !isRecovering).map(({ time }) => time);
  const all = [...new Set(ticks.map(({ time }) => time))].sort((a, b) => a - b);
  return [
    ...first.filter((time, index) => first.indexOf(time) !== index).map((time) => `${time}: twice`),
    ...all
      .slice(1)
      .filter((time, index) => time - (all[index] as number) !== interval)
      .map((time) => `${time}: not ${interval} ms after the one before`),
  ];
}
