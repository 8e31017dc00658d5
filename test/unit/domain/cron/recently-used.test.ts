import { RecentlyUsed } from '../../../../src/domain/cron/recently-used';

describe('RecentlyUsed', () => {
  it('makes a value once while it is in use', () => {
    const cache = new RecentlyUsed<object>(3);
    const value = cache.get('zone', 'a', () => ({}));
    for (const key of ['b', 'a', 'c', 'a', 'd', 'a', 'e', 'a']) cache.get('zone', key, () => ({}));
    expect(cache.get('zone', 'a', () => ({}))).toBe(value);
  });

  it('tells equal keys of different groups apart', () => {
    const cache = new RecentlyUsed<string>(3);
    expect(cache.get('one', 'a', () => 'first')).toBe('first');
    expect(cache.get('two', 'a', () => 'second')).toBe('second');
  });

  it('forgets what has not been used, so that it stays bounded', () => {
    const cache = new RecentlyUsed<number>(10);
    let made = 0;
    for (let round = 0; round < 2; round++) {
      for (let key = 0; key < 100; key++) cache.get('zone', String(key), () => made++);
    }
    expect(made).toBe(200);
  });

  it('keeps nothing when making it fails', () => {
    const cache = new RecentlyUsed<number>(10);
    const fail = () => {
      throw new Error('no');
    };
    expect(() => cache.get('zone', 'a', fail)).toThrow('no');
    expect(cache.get('zone', 'a', () => 1)).toBe(1);
  });
});
