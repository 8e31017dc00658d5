import { isNewerData, planZoneData } from '../../../src/domain/time-zone-data';

it.each([
  ['2026a', '2025c', true],
  ['2025c', '2026a', false],
  ['2025c', '2025b', true],
  ['2025c', '2025c', false],
  ['2025za', '2025z', true],
  ['2025c', 'unknown', false],
  ['unknown', '2025c', false],
])('%s is newer than %s: %s', (a, b, expected) => {
  expect(isNewerData(a, b)).toBe(expected);
});

const nodeOf = (instanceId: string, timeZoneData: string | null, startedAt = 0) => ({
  instanceId,
  timeZoneData,
  startedAt,
});
const own = { instanceId: 'own', version: '2026a' };

describe('the time zone data task of a node', () => {
  it('is none if the versions are equal or cannot be compared', () => {
    expect(planZoneData(own, '2026a', [nodeOf('own', '2026a')])).toEqual({ type: 'none' });
    expect(planZoneData(own, 'custom', [nodeOf('own', '2026a')])).toEqual({ type: 'none' });
  });

  it('is to store its own version if its data is older than the stored version', () => {
    expect(planZoneData(own, '2026b', [nodeOf('own', '2026a')])).toEqual({ type: 'lower' });
  });

  it('is to recompute if its data is newer and no other node with the same data started earlier', () => {
    const living = [nodeOf('b', '2026a', 3), nodeOf('own', '2026a', 2), nodeOf('java', null, 1)];
    expect(planZoneData(own, '2025c', living)).toEqual({ type: 'recompute', hasOlder: false });
    expect(planZoneData(own, '2025c', [...living, nodeOf('a', '2026a', 1)])).toEqual({ type: 'none' });
    expect(planZoneData(own, '2025c', [...living, nodeOf('old', '2025c', 1)])).toEqual({
      type: 'recompute',
      hasOlder: true,
    });
  });
});
