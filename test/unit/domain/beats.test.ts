import fc from 'fast-check';
import {
  BEAT_MS,
  Beats,
  isCrowd,
  LeadTime,
  MIN_YIELD_MS,
  Neglect,
  ONLY_NODE,
  type OwnPart,
  YieldTime,
} from '../../../src/domain/beats';
import { runsOf } from '../../support/long-forms';

const NOW = 1_767_268_800_000;
const anyTime = fc.integer({ min: NOW, max: NOW + 10_000 });
const nodesOf = (of: number) => Array.from({ length: of }, (_, rank) => new Beats({ rank, of }));
const anyNodes = fc.integer({ min: 1, max: 12 }).map(nodesOf);
const anyKey = fc.nat(1_000);
const check = (property: fc.IRawProperty<unknown>) => fc.assert(property, { numRuns: runsOf(300) });

/** True if a node may fire a trigger due at `time` whose key has the checksum `key`. Same condition as in sql/queries/train.sql. */
function holds(part: OwnPart, time: number, key: number): boolean {
  const { anyoneBefore, lateBefore, shares, share, ownUntil, turnMs, ownFirst, ownLast } = part;
  const place = time % turnMs;
  const isOwn = time <= ownUntil && place >= ownFirst && place <= ownLast;
  return time < anyoneBefore || isOwn || (time < lateBefore && key % shares === share);
}

describe('the beats of several nodes', () => {
  const takersOf = (nodes: readonly Beats[], time: number, key: number, now: number) =>
    nodes.filter((node) => holds(node.partAt(now), time, key));

  it('give a trigger that is not late to exactly one node', () => {
    check(
      fc.property(anyNodes, anyTime, anyKey, fc.integer({ min: 0, max: BEAT_MS }), (nodes, time, key, before) => {
        expect(takersOf(nodes, time, key, time - before)).toHaveLength(1);
        expect(takersOf(nodes, time, key, time + MIN_YIELD_MS)).toHaveLength(1);
      }),
    );
  });

  it('give a late trigger to one more node, which changes every second', () => {
    check(
      fc.property(anyNodes, anyTime, anyKey, (nodes, time, key) => {
        const takers = takersOf(nodes, time, key, time + MIN_YIELD_MS + 1);
        expect([1, 2]).toContain(takers.length);
        const shares = nodes.map((_, second) => nodes[0]?.shareAt(time + second * 1_000).share);
        expect(new Set(shares).size).toBe(nodes.length);
      }),
    );
  });

  it('give a neglected trigger to all nodes', () => {
    check(
      fc.property(anyNodes, anyTime, anyKey, (nodes, time, key) => {
        expect(takersOf(nodes, time, key, time + 20 * MIN_YIELD_MS + 1)).toHaveLength(nodes.length);
      }),
    );
  });

  it('make each node read its own triggers at most one beat ahead, and other triggers later', () => {
    check(
      fc.property(anyNodes, anyTime, fc.integer({ min: -200, max: 500 }), fc.nat(25), (nodes, time, late, lead) => {
        for (const node of nodes) {
          const now = time + late;
          const readAt = node.readAt(time, now, lead);
          const isOwn = holds(node.partAt(time), time, -1);
          if (isOwn) expect(time - readAt - lead).toBeLessThan(BEAT_MS);
          else expect(readAt).toBeGreaterThan(now);
          expect(readAt).toBeLessThanOrEqual(
            Math.max(time, now) + nodes.length * BEAT_MS + 20 * MIN_YIELD_MS + 2 * BEAT_MS,
          );
        }
      }),
    );
  });

  it('make a single node read exactly its lead time ahead', () => {
    expect(new Beats(ONLY_NODE).readAt(NOW + 7, NOW, 10)).toBe(NOW - 3);
  });
});

describe('a node that reads the triggers of other nodes', () => {
  const [, node] = nodesOf(4) as [Beats, Beats];
  const turn = Math.ceil(NOW / (4 * BEAT_MS)) * 4 * BEAT_MS;
  const ofOther = turn + 3 * BEAT_MS;

  it('reads them together with its own triggers', () => {
    expect(node.isOwn(ofOther)).toBe(false);
    expect(node.readAt(ofOther, turn, 15)).toBe(turn + 5 * BEAT_MS - 15);
  });

  it('reads them as soon as they are late, if it fills in for other nodes', () => {
    const fillsIn = new Beats({ rank: 1, of: 4 }, MIN_YIELD_MS, true);
    expect(fillsIn.readAt(ofOther, turn, 15)).toBe(ofOther + MIN_YIELD_MS + 1);
  });
});

describe('the neglect of other nodes', () => {
  it('is lasting if it occurs in four of ten seconds, but not after one stall', () => {
    const neglect = new Neglect();
    for (let ms = 0; ms < 2_000; ms += 50) neglect.add(ms);
    expect(neglect.isLasting(2_000)).toBe(false);
    for (const ms of [3_500, 6_500]) neglect.add(ms);
    expect(neglect.isLasting(6_500)).toBe(true);
    expect(neglect.isLasting(10_500)).toBe(false);
    for (let ms = 20_000; ms < 60_000; ms += 5_000) neglect.add(ms);
    expect(neglect.isLasting(60_000)).toBe(false);
  });
});

describe('the lead time of a node', () => {
  it('is the duration of recent firings, within fixed limits', () => {
    const leadTime = new LeadTime();
    expect(leadTime.within(50)).toBe(20);
    leadTime.learn(40);
    expect(leadTime.within(50)).toBe(40);
    expect(leadTime.within(10)).toBe(10);
    leadTime.learn(5);
    expect(leadTime.within(50)).toBe(38);
    for (let short = 0; short < 50; short++) leadTime.learn(5);
    expect(leadTime.within(50)).toBe(20);
    leadTime.learn(5_000);
    expect(leadTime.within(50)).toBe(45);
  });
});

describe('the yield time of a node', () => {
  it('grows while other nodes are faster, and shrinks while this node is faster, within fixed limits', () => {
    const yieldTime = new YieldTime();
    expect(yieldTime.ms).toBe(MIN_YIELD_MS);
    for (let vain = 0; vain < 3; vain++) yieldTime.learn(1, 3);
    expect(yieldTime.ms).toBe(8 * MIN_YIELD_MS);
    yieldTime.learn(2, 3);
    expect(yieldTime.ms).toBe(6 * MIN_YIELD_MS);
    for (let vain = 0; vain < 20; vain++) yieldTime.learn(0, 1);
    expect(yieldTime.ms).toBe(640);
    for (let won = 0; won < 20; won++) yieldTime.learn(1, 1);
    expect(yieldTime.ms).toBe(MIN_YIELD_MS);
  });
});

it('nodes divide neglected triggers into shares when these triggers fill a batch', () => {
  const part = new Beats({ rank: 0, of: 4 }).partAt(NOW);
  expect(isCrowd(part, part.anyoneBefore - 1)).toBe(true);
  expect(isCrowd(part, part.anyoneBefore)).toBe(false);
  expect(isCrowd(part, NOW)).toBe(false);
});
