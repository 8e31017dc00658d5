import { IndexedSet } from '../../../src/store/memory/indexed-set';

const thing = () => ({ place: 0 });

describe('IndexedSet', () => {
  it('holds what is added until it is deleted', () => {
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

  it('may change while a copy of it is walked through', () => {
    const bag = new IndexedSet<'place', { place: number }>('place');
    const things = Array.from({ length: 100 }, thing);
    for (const each of things) bag.add(each);
    for (const each of bag.toArray()) bag.delete(each);
    expect(bag.size).toBe(0);
  });
});
