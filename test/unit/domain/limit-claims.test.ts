import { GroupCapacity } from '../../../src/domain/group-limits';
import { jobKey } from '../../../src/domain/keys';
import { demandOf, groupKey, isLimitGone } from '../../../src/domain/limit-claims';
import { job, once } from '../../conformance/samples';

const candidate = (group: string, policy?: object) => ({
  trigger: once('trigger'),
  jobDetail: { ...job('job'), key: jobKey('job', group), ...(policy !== undefined && { policy }) },
});

describe('the demand of a firing', () => {
  const limits = { reports: 5 };

  it('is null without a limit of its policy or its group', () => {
    expect(demandOf(candidate('reports'), undefined)).toBeNull();
    expect(demandOf(candidate('other'), limits)).toBeNull();
    expect(demandOf(candidate('constructor'), limits)).toBeNull();
    expect(demandOf(candidate('reports', { history: 'all' }), undefined)).toBeNull();
  });

  it('claims capacity of its group limit in addition to the limits of its policy', () => {
    const claim = { key: 'group ["reports"]', limit: 5 };
    expect(demandOf(candidate('reports'), limits)).toEqual({
      claims: [claim],
      overlap: null,
      leaves: null,
      rate: null,
    });
    expect(demandOf(candidate('reports', { history: 'all' }), limits)?.claims).toEqual([claim]);
    const both = demandOf(candidate('reports', { concurrency: { key: 'mail', limit: 2 } }), limits);
    expect(both?.claims).toEqual([{ key: 'mail', limit: 2 }, claim]);
    const overlapping = demandOf(candidate('reports', { overlap: 'skip' }), limits);
    expect(overlapping?.claims).toEqual([{ key: 'overlap ["reports","job"]', limit: Number.POSITIVE_INFINITY }, claim]);
  });

  it('uses a unique key for each group, which fits the column', () => {
    const [a, b] = [groupKey(`${'x'.repeat(190)}a`), groupKey(`${'x'.repeat(190)}b`)];
    expect(Math.max(a.length, b.length)).toBeLessThanOrEqual(190);
    expect(a).not.toBe(b);
  });

  it('isLimitGone returns true for the key of a group that no longer has a limit', () => {
    expect(isLimitGone(groupKey('reports'), {})).toBe(true);
    expect(isLimitGone(groupKey('reports'), undefined)).toBe(true);
    expect(isLimitGone(groupKey('reports'), limits)).toBe(false);
    expect(isLimitGone('mail', {})).toBe(false);
  });
});

describe('the capacity of job groups on a node', () => {
  it('decreases with each firing, and is unlimited for a group without a limit', () => {
    const capacity = new GroupCapacity({ reports: 2, mail: 0 });
    expect(capacity.full).toEqual(['mail']);
    capacity.take('reports');
    expect(capacity.hasCapacity('reports')).toBe(true);
    capacity.take('reports');
    capacity.take('other');
    expect([capacity.hasCapacity('reports'), capacity.hasCapacity('other'), capacity.full]).toEqual([
      false,
      true,
      ['mail', 'reports'],
    ]);
  });
});
