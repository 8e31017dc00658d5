import type { Line } from '../cluster/support/history';
import { judgeOperations, type OperatedFacts } from './checker/operations';

/*
 * Tests of the checker of operations: it accepts a correct history, and detects every kind of corruption.
 */

const on = (node: string, mono: number) => ({ node, mono, wall: mono });
const start = (node: string, mono: number): Line => ({
  line: 'start',
  ...{ id: `${node} ${mono}`, trigger: 'a', job: 'a', origin: 'a', time: mono, recovers: null },
  ...on(node, mono),
});
const tick = (time: number, rest: { readonly node?: string; readonly isRecovering?: boolean } = {}): Line => {
  const { node = 'n2-1', isRecovering = false } = rest;
  return { line: 'tick', id: `${time}`, time, isRecovering, ...on(node, time) } as unknown as Line;
};

const WELL: OperatedFacts = {
  history: [
    start('n1-1', 900), // before it drained
    start('n1-1', 2_100), // after the drain
    start('n2-1', 1_500),
    ...[1_000, 2_000, 3_000].map((time) => tick(time)),
    tick(2_000, { isRecovering: true }),
    { line: 'abort', id: 'x', ...on('n3-1', 1_200) },
    { line: 'event', type: 'nodeFenced', ...on('n3-1', 1_200) },
  ],
  drained: [{ node: 'n1-1', from: 1_000, to: 2_000 }],
  declarations: [{ declared: ['a', 'b'], stored: ['b', 'other', 'a'] }],
  others: ['other'],
  interval: 1_000,
};
const alsoWritten = (...lines: readonly Line[]): OperatedFacts => ({ ...WELL, history: [...WELL.history, ...lines] });
const stored = (...names: readonly string[]): OperatedFacts => ({
  ...WELL,
  declarations: [{ declared: ['a', 'b'], stored: names }],
});

const found = (facts: OperatedFacts) =>
  Object.fromEntries(
    Object.entries(judgeOperations(facts))
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, list.length]),
  );

describe('the checker of drains and declarations', () => {
  it('accepts a correct history', () => {
    expect(found(WELL)).toEqual({});
  });

  it.each<[string, OperatedFacts, Record<string, number>]>([
    ['a run that begins on a draining node', alsoWritten(start('n1-1', 1_500)), { startedOnDrained: 1 }],
    [
      'a tick on a draining node',
      alsoWritten(tick(4_000), tick(1_500, { node: 'n1-1' })),
      { startedOnDrained: 1, ticksMoved: 2 },
    ],
    ['an interrupted run', alsoWritten({ line: 'abort', id: 'y', ...on('n1-1', 950) }), { cutShort: 1 }],
    ['a missing declared schedule', stored('a', 'other'), { declaredOtherwise: 1 }],
    ['a schedule that should be deleted', stored('a', 'b', 'c', 'other'), { declaredOtherwise: 1 }],
    ['a schedule that is stored twice', stored('a', 'a', 'b', 'other'), { declaredOtherwise: 1 }],
    ['a missing schedule of another set', stored('a', 'b'), { declaredOtherwise: 1 }],
    ['a skipped fire time', alsoWritten(tick(5_000)), { ticksMoved: 1 }],
    ['a fire time that is fired twice', alsoWritten(tick(3_000)), { ticksMoved: 1 }],
  ])('detects %s', (_, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });
});
