import { type FurtherFacts, type FurtherLine, judgeFurtherRuns } from './checker/further-runs';

const TIME = 1_000;
const line = (more: Partial<FurtherLine> & Pick<FurtherLine, 'line' | 'job' | 'id'>): FurtherLine => ({
  mono: 10,
  time: TIME,
  ...more,
});
const ran = (id: string, job: string) => ({ id, job, time: TIME });

/** A correct history with one occurrence of each kind. */
const WELL: FurtherFacts = {
  times: [TIME],
  shards: 2,
  jobs: { parts: 1, chains: 1, steps: 1 },
  lines: [
    line({ line: 'part', job: 'parts-0', id: 'p0', index: 0 }),
    line({ line: 'part', job: 'parts-0', id: 'p1', index: 1 }),
    line({ line: 'parent', job: 'parent-0', id: 'a' }),
    line({ line: 'child', job: 'child-0', id: 'b', parent: 'a' }),
    line({ line: 'resumed', job: 'steps-0', id: 's1', mono: 1, step: 0 }),
    line({ line: 'acknowledged', job: 'steps-0', id: 's1', mono: 2, step: 1 }),
    line({ line: 'resumed', job: 'steps-0', id: 's2', mono: 3, step: 1 }),
  ],
  succeeded: [
    ran('p0', 'parts-0'),
    ran('p1', 'parts-0'),
    ran('a', 'parent-0'),
    ran('b', 'child-0'),
    ran('s2', 'steps-0'),
  ],
};

const without = (id: string): FurtherFacts => ({ ...WELL, succeeded: WELL.succeeded.filter((run) => run.id !== id) });
const with_ = (...lines: readonly FurtherLine[]): FurtherFacts => ({ ...WELL, lines: [...WELL.lines, ...lines] });
const alsoRan = (facts: FurtherFacts, id: string, job: string): FurtherFacts => ({
  ...facts,
  succeeded: [...facts.succeeded, ran(id, job)],
});

/** Violations by rule. */
const found = (facts: FurtherFacts) =>
  Object.fromEntries(Object.entries(judgeFurtherRuns(facts).violations).filter(([, list]) => list.length > 0));

describe('the checker of occurrences with several runs', () => {
  it('accepts a correct history, and counts its runs', () => {
    expect(found(WELL)).toEqual({});
    expect(judgeFurtherRuns(WELL).counts).toEqual({
      expected: 4,
      started: 5,
      children: 1,
      resumed: 1,
      acknowledged: 1,
    });
  });

  it.each<[string, FurtherFacts, Record<string, readonly string[]>]>([
    ['a part is missing', without('p1'), { partsNotOnce: ['parts-0 at 1000, 1: 0 times'] }],
    [
      'a part succeeded twice',
      alsoRan(with_(line({ line: 'part', job: 'parts-0', id: 'p2', index: 1 })), 'p2', 'parts-0'),
      { partsNotOnce: ['parts-0 at 1000, 1: 2 times'] },
    ],
    [
      'there is an unexpected part',
      alsoRan(with_(line({ line: 'part', job: 'parts-0', id: 'p2', index: 2 })), 'p2', 'parts-0'),
      { partsNotOnce: ['parts-0 at 1000, 2: not expected'] },
    ],
    ['an occurrence is missing', without('s2'), { notSucceededOnce: ['steps-0 at 1000: 0 times'] }],
    ['a child is missing', without('b'), { childrenNotOnce: ['a: 0 times'] }],
    [
      'a child ran twice',
      alsoRan(with_(line({ line: 'child', job: 'child-0', id: 'c', parent: 'a' })), 'c', 'child-0'),
      { childrenNotOnce: ['a: 2 times'] },
    ],
    [
      'a child began for a parent that failed',
      with_(line({ line: 'child', job: 'child-0', id: 'c', parent: 'x' })),
      { childrenNotOnce: ['child of x, which did not succeed'] },
    ],
    [
      'a checkpoint is lost',
      with_(
        line({ line: 'acknowledged', job: 'steps-0', id: 's2', mono: 4, step: 2 }),
        line({ line: 'resumed', job: 'steps-0', id: 's3', mono: 5, step: 1 }),
      ),
      { checkpointsLost: ['steps-0 at 1000: began at 1, 2 was stored'] },
    ],
  ])('detects that %s', (_, facts, expected) => {
    expect(found(facts)).toEqual(expected);
  });
});
