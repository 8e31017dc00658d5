import { ManualClock } from '../../../../src/base/manual-clock';
import type { AcquireRequest } from '../../../../src/store/job-store';
import { type Scan, ScanMemory } from '../../../../src/store/sql/operations/scan-memory';
import type { NodeTransaction } from '../../../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../../../src/store/sql/rows/sql-node';
import { NOW, SECOND } from '../../../conformance/samples';
import { testNode } from '../../../support/database/sql-store';

describe('ranges that the scan for due triggers skips', () => {
  const REQUEST: AcquireRequest = {
    ...{ now: NOW, noLaterThan: NOW, maxCount: 1, timeWindow: 0 },
    ...{ misfireThreshold: 60 * SECOND, jobTypes: ['a'], fireWithin: 0 },
  };
  const FIRST = -8.64e15;
  let clock: ManualClock;
  let node: SqlNode;
  let memory: ScanMemory;

  beforeEach(() => {
    clock = new ManualClock(NOW);
    node = testNode({ clock });
    memory = new ScanMemory(node);
  });

  const begin = (groups: readonly string[] = [], jobTypes = ['a']) => memory.begin({ ...REQUEST, jobTypes }, groups);
  const from = (groups: readonly string[] = []) => begin(groups).from;
  /** A scan that found only these groups before `end`. */
  const scanned = (groups: readonly string[], end: number, tookMs = 50) => memory.remember(begin(groups), end, tookMs);

  it('hold for more full groups too, not for fewer or others, nor for other job types', () => {
    scanned(['x', 'y'], 100);
    expect([from(['x', 'y']), from(['x', 'y', 'z'])]).toEqual([100, 100]);
    expect([from(['x']), from(['x', 'z']), from()]).toEqual([FIRST, FIRST, FIRST]);
    expect(begin(['x', 'y'], ['a', 'b']).from).toBe(FIRST);
  });

  it('without groups hold for all requests; the longest that holds is skipped', () => {
    scanned([], 100);
    scanned(['x'], 200);
    expect([from(), from(['y']), from(['x'])]).toEqual([100, 100, 200]);
  });

  it('are shortened by a change, and forgotten where its time is not known', () => {
    scanned(['x'], 100);
    memory.reset(70);
    memory.reset(90);
    expect(from(['x'])).toBe(70);
    memory.reset(null);
    expect(from(['x'])).toBe(FIRST);
  });

  it('are forgotten by a change among unreadable triggers, which are then skipped by their keys', () => {
    const met = { key: { group: 'g', name: 'n' }, nextFireTime: 1, fingerprint: () => '', uses: () => [] };
    node.unreadable.noteTrigger(met, new RangeError('unreadable'));
    scanned([], 100);
    memory.reset(100);
    expect(from()).toBe(100);
    memory.reset(99);
    expect(from()).toBe(FIRST);
  });

  it('are shortened by what the change watch notices, once, and as often as reading them again was fast', () => {
    scanned(['x'], 100);
    const first = { fingerprint: 'first', earliest: 60 };
    const second = { fingerprint: 'second', earliest: 50 };
    memory.noticed(first); // less than a second after it took 50 ms
    expect(from(['x'])).toBe(100);
    clock.advanceBy(1_000);
    scanned(['x'], 100, 2);
    clock.advanceBy(39);
    memory.noticed(first);
    expect(from(['x'])).toBe(100);
    scanned(['x'], 100, 0);
    memory.noticed(first);
    expect(from(['x'])).toBe(60);
    memory.noticed(first);
    scanned(['x'], 100, 0);
    memory.noticed(first);
    memory.noticed({ fingerprint: 'nothing is due', earliest: null });
    expect(from(['x'])).toBe(100);
    memory.noticed(second);
    expect(from(['x'])).toBe(50);
  });

  it('are not taken from a scan that began before a change', () => {
    const scan = begin(['x']);
    memory.reset(500);
    memory.remember(scan, 100, 50);
    expect(from(['x'])).toBe(FIRST);
  });

  it('grow with the scans behind them, without being relied on for longer', () => {
    scanned(['x'], 100);
    clock.advanceBy(900);
    scanned(['x'], 200);
    expect(from(['x'])).toBe(200);
    clock.advanceBy(100);
    expect(from(['x'])).toBe(FIRST);
  });

  it('are no longer relied on than those without groups that they continue', () => {
    scanned([], 100, 10);
    scanned(['x'], 200, 100);
    clock.advanceBy(199);
    expect(from(['x'])).toBe(200);
    clock.advanceBy(1);
    expect(from(['x'])).toBe(FIRST);
  });

  it.each([
    [['x'], 10_000],
    [[], 1_000],
  ])('are relied on for a limited time, however slow the database was: except %p, %d ms', (groups, longest) => {
    scanned(groups, 100, 60_000);
    clock.advanceBy(longest - 1);
    expect(from(groups)).toBe(100);
    clock.advanceBy(1);
    expect(from(groups)).toBe(FIRST);
  });

  describe('of many triggers that a scan has skipped', () => {
    let counted: number[];

    beforeEach(() => {
      counted = [];
    });

    /** A scan that took 50 ms and found its first trigger then, behind so many others. */
    async function found(first: number | null, behind: number, scan: Scan = begin()) {
      const all = async (_: string, { before }: { before: number }) => {
        counted.push(before);
        return [{ TRIGGERS: behind }];
      };
      clock.advanceBy(50);
      await memory.rememberBacklog({ all } as unknown as NodeTransaction, scan, first, NOW);
    }

    it('are remembered, but for recent fire times', async () => {
      await found(NOW, 500);
      expect(from()).toBe(NOW - 5 * SECOND);
      expect(counted).toEqual([NOW - 5 * SECOND]);
      await found(NOW, 500);
      expect(counted).toHaveLength(1); // those that are skipped now are not counted again
    });

    it('are not remembered if they are few, and counted once a second', async () => {
      await found(7, 499);
      expect(from()).toBe(FIRST);
      await found(7, 500);
      expect(counted).toEqual([7]);
      clock.advanceBy(SECOND);
      await found(7, 500);
      expect(from()).toBe(7);
    });

    it('are not remembered where the first is not known, or groups were left out', async () => {
      await found(null, 500);
      await found(7, 500, begin(['x']));
      expect([from(), counted]).toEqual([FIRST, []]);
    });
  });
});
