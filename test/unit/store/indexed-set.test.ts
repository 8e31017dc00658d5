import { IndexedSet } from '../../../src/store/memory/indexed-set';

const thing = () => ({ place: 0 });

describe('IndexedSet', () => {
  it('holds added items until they are deleted', () => {
    const bag = new IndexedSet<'place', { place: number }>('place');
    const [a, b, c] = [thing(), thing(), thing()];
    for (const each of [a, b, c]) bag.add(each);
    bag.delete(a);
    expect(bag.size).toBe(2);
    expect(new Set(bag.toArray())).toEqual(new Set([b, c]));
    bag.delete(c);
    bag.delete(b);
    expect(bag.toArray()).toEqual([]);
  });

  it('can be changed while a copy of it is iterated', () => {
    const bag = new IndexedSet<'place', { place: number }>('place');
    const things = Array.from({ length: 100 }, thing);
    for (const each of things) bag.add(each);
    for (const each of bag.toArray()) bag.delete(each);
    expect(bag.size).toBe(0);
  });
});
