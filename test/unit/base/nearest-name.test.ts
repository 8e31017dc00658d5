import { nearestName } from '../../../src/base/nearest-name';

describe('nearestName', () => {
  const known = ['threadCount', 'threadPriority', 'misfireThreshold', 'idleWaitTime'];

  it.each([
    ['threadcount', 'threadCount'],
    ['thread-count', 'threadCount'],
    ['treadCont', 'threadCount'],
    ['misfireTreshhold', 'misfireThreshold'],
    ['idleWait', 'idleWaitTime'],
    ['jobIdleWaitTime', 'idleWaitTime'],
  ])('suggests for %s the name %s', (written, selected) => {
    expect(nearestName(written, known)).toBe(selected);
  });

  it.each([[''], ['color'], ['x'], ['threadCount'.repeat(30)]])('suggests nothing for %p', (written) => {
    expect(nearestName(written, known)).toBeNull();
  });

  it('suggests nothing if there are 1,000 names or more', () => {
    const names = (count: number) => ['threadCount', ...Array.from({ length: count }, (_, index) => `name${index}`)];
    expect([nearestName('treadCount', names(999)), nearestName('treadCount', names(1_000))]).toEqual([
      'threadCount',
      null,
    ]);
  });

  it('suggests the nearer of two names', () => {
    expect(nearestName('abcd', ['abxx', 'abcx'])).toBe('abcx');
  });
});
