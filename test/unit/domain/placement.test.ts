import { checkPolicy } from '../../../src/domain/execution-policy';
import { availableFrom, mayTake, placementOf, scopeOfNode, takes } from '../../../src/domain/placement';
import { codeOf } from '../scheduler/support';

const CLOCK = { now: 100_000, misfireThreshold: 60_000 };
const scope = scopeOfNode('a', { labels: ['eu', 'gpu', 'eu'], priorities: { min: 3 } });
const trigger = { nextFireTime: 90_000, priority: 5 };

describe('the scope of a node', () => {
  it('contains its own label once, and every other label once', () => {
    expect(scope.labels).toEqual(['node:a', 'eu', 'gpu']);
  });

  it('is limited by a range of priorities, including both bounds', () => {
    const jobDetail = {};
    const taken = [2, 3, 2_147_483_647].map((priority) => mayTake(scope, { trigger: { priority }, jobDetail }));
    expect(taken).toEqual([false, true, true]);
  });
});

describe('a placement', () => {
  it('is null without labels', () => {
    expect(placementOf({ trigger: {}, jobDetail: {} })).toBeNull();
    expect(placementOf({ trigger: { policy: { runsOn: [] } }, jobDetail: { policy: { runsOn: ['gpu'] } } })).toBeNull();
  });

  it('combines the policies of trigger and job, with each field of the trigger preferred', () => {
    const prefers = { labels: ['eu'], fallbackAfter: 1 };
    const jobDetail = { policy: { runsOn: ['gpu'], prefers } };
    expect(placementOf({ trigger: { policy: { runsOn: ['tape'] } }, jobDetail })).toEqual({
      runsOn: ['tape'],
      prefers: ['eu'],
      fallbackAfter: 1,
    });
  });

  it('delays a trigger that prefers other labels, and excludes one that requires other labels', () => {
    const placed = { runsOn: ['eu'], prefers: ['tape'], fallbackAfter: 5_000 };
    expect(availableFrom(placed, 90_000, scope, CLOCK)).toBe(95_000);
    expect(availableFrom({ ...placed, fallbackAfter: 86_400_000 }, 90_000, scope, CLOCK)).toBe(120_000);
    expect(availableFrom({ ...placed, prefers: ['gpu'] }, 90_000, scope, CLOCK)).toBe(Number.NEGATIVE_INFINITY);
    expect(availableFrom({ ...placed, runsOn: ['tape'] }, 90_000, scope, CLOCK)).toBeNull();
    const policy = { prefers: { labels: ['tape'], fallbackAfter: 10_000 } };
    expect(takes(scope, { trigger: { ...trigger, policy }, jobDetail: {} }, CLOCK)).toBe(true);
    expect(takes(scope, { trigger: { ...trigger, policy }, jobDetail: {} }, { ...CLOCK, now: 99_999 })).toBe(false);
  });
});

describe('a placement policy', () => {
  it('is parsed from every form', () => {
    expect(checkPolicy({ runsOn: 'gpu', prefers: 'eu' }, 'a job')).toEqual({
      runsOn: ['gpu'],
      prefers: { labels: ['eu'], fallbackAfter: 5_000 },
    });
    expect(checkPolicy({ runsOn: ['gpu', 'gpu'], prefers: { labels: 'eu', fallbackAfter: 'PT1M' } }, 'a job')).toEqual({
      runsOn: ['gpu'],
      prefers: { labels: ['eu'], fallbackAfter: 60_000 },
    });
  });

  it.each([
    [{ runsOn: '' }],
    [{ runsOn: 7 }],
    [{ runsOn: [''] }],
    [{ runsOn: ['x'.repeat(201)] }],
    [{ runsOn: Array.from({ length: 21 }, (_, index) => `l${index}`) }],
    [{ prefers: { labels: 'eu', fallbackAfter: '2d' } }],
    [{ prefers: { labels: 'eu', fallbackAfter: -1 } }],
    [{ prefers: { fallbackAfter: 5 } }],
  ])('is refused: %j', async (policy) => {
    expect(await codeOf(() => checkPolicy(policy, 'a job'))).toBe('INVALID_ARGUMENT');
  });
});
