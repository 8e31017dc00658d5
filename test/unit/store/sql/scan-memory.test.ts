import { ManualClock } from '../../../../src/base/manual-clock';
import type { AcquireRequest } from '../../../../src/store/job-store';
import { type Scan, ScanMemory } from '../../../../src/store/sql/operations/scan-memory';
import type { NodeTransaction } from '../../../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../../../src/store/sql/rows/sql-node';
import { NOW, SECOND } from '../../../conformance/samples';
import { testNode } from '../../../support/database/sql-store';

describe('skipped ranges of the scan for due triggers', () => {
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
  /** Records a scan with these full groups that found no due trigger before `end`. */
  const scanned = (groups: readonly string[], end: number, tookMs = 50) => memory.remember(begin(groups), end, tookMs);

  it('apply if more groups are full, but not for fewer groups or other groups or job types', () => {
    scanned(['x', 'y'], 100);
    expect([from(['x', 'y']), from(['x', 'y', 'z'])]).toEqual([100, 100]);
    expect([from(['x']), from(['x', 'z']), from()]).toEqual([FIRST, FIRST, FIRST]);
    expect(begin(['x', 'y'], ['a', 'b']).from).toBe(FIRST);
  });

  it('without full groups apply to all requests, and the longest matching range is skipped', () => {
    scanned([], 100);
    scanned(['x'], 200);
    expect([from(), from(['y']), from(['x'])]).toEqual([100, 100, 200]);
  });

  it('are shortened by a change, and dropped if its time is not known', () => {
    scanned(['x'], 100);
    memory.reset(70);
    memory.reset(90);
    expect(from(['x'])).toBe(70);
    memory.reset(null);
    expect(from(['x'])).toBe(FIRST);
  });

  it('are dropped by a change among unreadable triggers, which are then skipped by key', () => {
    const met = { key: { group: 'g', name: 'n' }, nextFireTime: 1, fingerprint: () => '', uses: () => [] };
    node.unreadable.noteTrigger(met, new RangeError('unreadable'));
    scanned([], 100);
    memory.reset(100);
    expect(from()).toBe(100);
    memory.reset(99);
    expect(from()).toBe(FIRST);
  });

  it('are shortened once by each reported change, and again only after the time a scan takes', () => {
    scanned(['x'], 100);
    const first = { fingerprint: 'first', earliest: 60 };
    const second = { fingerprint: 'second', earliest: 50 };
    memory.noticed(first); // less than a second after a scan of 50 ms
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

  it('are extended by later scans without a longer lifetime', () => {
    scanned(['x'], 100);
    clock.advanceBy(900);
    scanned(['x'], 200);
    expect(from(['x'])).toBe(200);
    clock.advanceBy(100);
    expect(from(['x'])).toBe(FIRST);
  });

  it('expire together with the range without groups that they extend', () => {
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
  ])('expire, however slow the database was: for the groups %p after %d ms', (groups, longest) => {
    scanned(groups, 100, 60_000);
    clock.advanceBy(longest - 1);
    expect(from(groups)).toBe(100);
    clock.advanceBy(1);
    expect(from(groups)).toBe(FIRST);
  });

  describe('with many triggers', () => {
    let counted: number[];

    beforeEach(() => {
      counted = [];
    });

    /** Ends a scan of 50 ms that found its first trigger behind `behind` others. */
    async function found(first: number | null, behind: number, scan: Scan = begin()) {
      const all = async (_: string, { before }: { before: number }) => {
        counted.push(before);
        return [{ TRIGGERS: behind }];
      };
      clock.advanceBy(50);
      await memory.rememberBacklog({ all } as unknown as NodeTransaction, scan, first, NOW);
    }

    it('are remembered, except for recent fire times', async () => {
      await found(NOW, 500);
      expect(from()).toBe(NOW - 5 * SECOND);
      expect(counted).toEqual([NOW - 5 * SECOND]);
      await found(NOW, 500);
      expect(counted).toHaveLength(1); // triggers that are skipped now are not counted again
    });

    it('are remembered only for 500 triggers or more, which are counted once a second', async () => {
      await found(7, 499);
      expect(from()).toBe(FIRST);
      await found(7, 500);
      expect(counted).toEqual([7]);
      clock.advanceBy(SECOND);
      await found(7, 500);
      expect(from()).toBe(7);
    });

    it('are not remembered if the first trigger is unknown or groups were excluded', async () => {
      await found(null, 500);
      await found(7, 500, begin(['x']));
      expect([from(), counted]).toEqual([FIRST, []]);
    });
  });
});
