import type { Line } from '../../cluster/support/history';
import { executionOf } from './facts';

/*
 * What was asked of the nodes from outside while they fired: to drain, and to hold what was declared.
 */

/** A process that was told to drain, from when that was acknowledged until it was to take work again. The machine's monotonic clock. */
export interface DrainedSpan {
  readonly node: string;
  readonly from: number;
  readonly to: number;
}

/** A set that two nodes declared at once, and what was stored when both had been answered. */
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
  /** What others have made; no declaration may touch it. */
  readonly others: readonly string[];
  /** Between two ticks. Milliseconds. */
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

/** Jobs end by themselves, unless their node has lost its lease: draining interrupts none. */
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

/** Declared again as it is, a schedule does not move: from its first time to its last, each is fired, and once. */
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
