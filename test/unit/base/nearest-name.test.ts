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
  ])('takes %s for %s', (written, selected) => {
    expect(nearestName(written, known)).toBe(selected);
  });

  it.each([[''], ['color'], ['x'], ['threadCount'.repeat(30)]])('has no idea what %p may mean', (written) => {
    expect(nearestName(written, known)).toBeNull();
  });

  it('has no idea among more names than a person keeps in one file', () => {
    const names = (count: number) => ['threadCount', ...Array.from({ length: count }, (_, index) => `name${index}`)];
    expect([nearestName('treadCount', names(999)), nearestName('treadCount', names(1_000))]).toEqual([
      'threadCount',
      null,
    ]);
  });

  it('takes the nearer of two', () => {
    expect(nearestName('abcd', ['abxx', 'abcx'])).toBe('abcx');
  });
});
