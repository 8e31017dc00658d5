import fc from 'fast-check';
import { compareDue } from '../../../src/domain/acquisition';
import { DueList } from '../../../src/store/memory/due-list';
import { JobEntry, TriggerEntry } from '../../../src/store/memory/entries';
import { job, NOW, once } from '../../conformance/samples';

const owner = new JobEntry('job', job());
const entryAt = (time: number, name: string, priority = 5) =>
  new TriggerEntry(name, once(name, { nextFireTime: time, priority }), owner, 'WAITING');
const everythingIn = (list: DueList<TriggerEntry>) => list.between(-Infinity, Infinity);
const namesIn = (list: DueList<TriggerEntry>) => everythingIn(list).map(({ keyText }) => keyText);

describe('DueList', () => {
  it('keeps its entries in the order in which they fire', () => {
    const list = new DueList<TriggerEntry>();
    for (const name of ['d', 'a', 'c', 'b']) list.add(entryAt(NOW, name));
    list.add(entryAt(NOW, 'z', 6));
    list.add(entryAt(NOW - 1, 'y'));
    expect(namesIn(list)).toEqual(['y', 'z', 'a', 'b', 'c', 'd']);
    expect(list.first()?.keyText).toBe('y');
  });

  it('is empty after all entries are deleted, and returns null for the first entry', () => {
    const list = new DueList<TriggerEntry>();
    const [a, b] = [entryAt(NOW, 'a'), entryAt(NOW, 'b')];
    list.add(a);
    expect(list.delete(b)).toBe(false);
    expect(list.isEmpty).toBe(false);
    expect(list.delete(a)).toBe(true);
    expect(list.delete(a)).toBe(false);
    expect([list.isEmpty, list.first(), list.firstFrom(0)]).toEqual([true, null, null]);
  });

  it('returns the first entry that fires at or after a given time', () => {
    const list = new DueList<TriggerEntry>();
    for (let index = 0; index < 1000; index++) list.add(entryAt(NOW + index * 2, `t${index}`));
    expect(list.firstFrom(NOW + 700)?.keyText).toBe('t350');
    expect(list.firstFrom(NOW + 701)?.keyText).toBe('t351');
    expect(list.firstFrom(0)?.keyText).toBe('t0');
    expect(list.firstFrom(NOW + 2000)).toBeNull();
  });

  it('matches a sorted array after random additions and deletions', () => {
    const operation = fc.record({ time: fc.nat(50), name: fc.nat(400), isAdded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 1500, size: 'max' }), (operations) => {
        const list = new DueList<TriggerEntry>();
        const model = new Map<string, TriggerEntry>();
        for (const { time, name, isAdded } of operations) {
          const keyText = `t${name}`;
          const present = model.get(keyText);
          if (present !== undefined && !isAdded) {
            expect(list.delete(present)).toBe(true);
            model.delete(keyText);
          } else if (present === undefined && isAdded) {
            const entry = entryAt(time, keyText);
            list.add(entry);
            model.set(keyText, entry);
          }
        }
        const sorted = [...model.values()].sort((a, b) => compareDue(a.trigger, b.trigger));
        expect(everythingIn(list)).toEqual(sorted);
        expect(list.first()).toBe(sorted[0] ?? null);
        expect(list.firstFrom(25)).toBe(sorted.find(({ trigger }) => (trigger.nextFireTime ?? 0) >= 25) ?? null);
      }),
      { numRuns: 50 },
    );
  });
});
