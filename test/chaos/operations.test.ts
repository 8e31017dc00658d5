import type { Line } from '../cluster/support/history';
import { judgeOperations, type OperatedFacts } from './checker/operations';

/*
 * The judge of what was asked from outside, judged: a good history is accepted, and every way to spoil it is noticed.
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
    start('n1-1', 2_100), // after that
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

describe('nodes that are steered from outside', () => {
  it('do as they are told', () => {
    expect(found(WELL)).toEqual({});
  });

  it.each<[string, OperatedFacts, Record<string, number>]>([
    ['a run that begins on a node that drains', alsoWritten(start('n1-1', 1_500)), { startedOnDrained: 1 }],
    ['a tick on it', alsoWritten(tick(4_000), tick(1_500, { node: 'n1-1' })), { startedOnDrained: 1, ticksMoved: 2 }],
    ['a run that is cut short', alsoWritten({ line: 'abort', id: 'y', ...on('n1-1', 950) }), { cutShort: 1 }],
    ['a declared schedule that is missing', stored('a', 'other'), { declaredOtherwise: 1 }],
    ['one that was to be gone', stored('a', 'b', 'c', 'other'), { declaredOtherwise: 1 }],
    ['one that is there twice', stored('a', 'a', 'b', 'other'), { declaredOtherwise: 1 }],
    ['one of others that is gone', stored('a', 'b'), { declaredOtherwise: 1 }],
    ['a time that is left out', alsoWritten(tick(5_000)), { ticksMoved: 1 }],
    ['a time that is fired twice', alsoWritten(tick(3_000)), { ticksMoved: 1 }],
  ])('show %s', (_, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });
});
