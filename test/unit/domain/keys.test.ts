import { formatKey, jobKey, keyContains, parseKey, triggerKey } from '../../../src/domain/keys';
import { checkKey } from '../../../src/domain/limits';

describe('a key as text', () => {
  it.each([
    ['reports/daily', { group: 'reports', name: 'daily' }],
    ['daily', { group: 'DEFAULT', name: 'daily' }],
    ['a/b/c', { group: 'a', name: 'b/c' }],
    ['DEFAULT/a/b', { group: 'DEFAULT', name: 'a/b' }],
  ])('is parsed from %p and formatted back to the same key', (text, key) => {
    expect(parseKey(text)).toEqual(key);
    expect([jobKey(text), triggerKey(text), checkKey(text, 'job')]).toEqual([key, key, key]);
    expect(parseKey(formatKey(key))).toEqual(key);
  });

  it('is only the name if the group is given separately', () => {
    expect(jobKey('a/b', 'g')).toEqual({ group: 'g', name: 'a/b' });
    expect(checkKey({ group: 'a/b', name: 'c' }, 'job')).toEqual({ group: 'a/b', name: 'c' });
  });

  it.each(['', '/', '/daily', 'reports/'])('is refused without a name or a group: %p', (text) => {
    expect(() => checkKey(text, 'job')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('is found by a search text in its group and name, ignoring case', () => {
    const key = { group: 'billing', name: 'Customer-17' };
    expect(['billing/customer-17', 'BILL', 'mer-1', 'g/c'].every((part) => keyContains(key, part))).toBe(true);
    expect(keyContains(key, 'billing.customer-17')).toBe(false);
  });
});
