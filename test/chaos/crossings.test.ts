import { type CrossedFacts, type CrossedLine, judgeCrossings, type SucceededOccurrence } from './checker/crossings';

const TIME = 1_000;
const NEXT = 2_000;

type Given = Partial<CrossedLine> & Pick<CrossedLine, 'line' | 'job' | 'id' | 'mono'>;
const line = (more: Given): CrossedLine => ({ node: 'n1-1', time: TIME, occurrence: more.id, attempt: 1, ...more });
const ran = (id: string, job: string, time = TIME, occurrence = id): SucceededOccurrence => ({
  ...{ id, job, time, occurrence },
});

/** The lines of one part of an occurrence. */
const part = (job: string, occurrence: string, index: number, [from, to]: readonly [number, number], time = TIME) => {
  const of = { job, time, occurrence, index, id: `${occurrence}${index}` };
  return [line({ line: 'queued', mono: from, ...of }), line({ line: 'queuedEnd', mono: to, ...of })];
};

/** A correct history with several occurrences of each kind. */
const WELL: CrossedFacts = {
  ...{ rate: { limit: 2, per: 2_000 }, shards: 2, declaredValue: 5, stops: [] },
  jobs: { turns: 1, queues: 1, origins: 1, links: 1 },
  times: { turns: [TIME, NEXT, 3_000], queueAll: [TIME, NEXT], origins: [TIME] },
  lines: [
    line({ line: 'turn', job: 'turn-0', id: 't1', mono: 1_000 }),
    line({ line: 'turn', job: 'turn-0', id: 't2', mono: 2_000, time: NEXT }),
    line({ line: 'turn', job: 'turn-0', id: 't3', mono: 3_000, time: 3_000 }),
    ...part('queueAll-0', 'a', 0, [1_000, 1_100]),
    ...part('queueAll-0', 'a', 1, [1_000, 2_100]),
    ...part('queueAll-0', 'b', 0, [2_200, 2_300], NEXT),
    ...part('queueAll-0', 'b', 1, [2_200, 2_300], NEXT),
    line({ line: 'found', job: 'link-0-0', id: 'l1', occurrence: 'x', mono: 1_000, found: null }),
    line({ line: 'kept', job: 'link-0-0', id: 'l1', occurrence: 'x', mono: 1_001 }),
    line({ line: 'found', job: 'link-0-0', id: 'l2', occurrence: 'x', mono: 1_200, found: 'x', attempt: 2 }),
  ],
  succeeded: [
    ran('t1', 'turn-0'),
    ran('t2', 'turn-0', NEXT),
    ran('t3', 'turn-0', 3_000),
    ...['a0', 'a1'].map((id) => ran(id, 'queueAll-0', TIME, 'a')),
    ...['b0', 'b1'].map((id) => ran(id, 'queueAll-0', NEXT, 'b')),
    ran('o', 'origin-0'),
    ran('l2', 'link-0-0', TIME, 'x'),
  ],
  edits: [
    { trigger: 'd', value: 10, begun: 100, done: 200 },
    { trigger: 'd', value: 11, begun: 300, done: null },
    { trigger: 'd', value: 12, begun: 500, done: 600 },
  ],
  sightings: [
    { trigger: 'd', value: 5, begun: 50, done: 60 },
    { trigger: 'd', value: 10, begun: 250, done: 260 },
    { trigger: 'd', value: 11, begun: 400, done: 410 },
    { trigger: 'd', value: 12, begun: 700, done: 710 },
  ],
};

const without = (id: string): CrossedFacts => ({ ...WELL, succeeded: WELL.succeeded.filter((run) => run.id !== id) });
const alsoRan = (...runs: readonly SucceededOccurrence[]) => ({ ...WELL, succeeded: [...WELL.succeeded, ...runs] });
const moved = (id: string, mono: number): CrossedFacts => ({
  ...WELL,
  lines: WELL.lines.map((each) => (each.id === id ? { ...each, mono } : each)),
});
const with_ = (...lines: readonly CrossedLine[]): CrossedFacts => ({ ...WELL, lines: [...WELL.lines, ...lines] });
const seen = (value: number, begun: number): CrossedFacts => ({
  ...WELL,
  sightings: [...WELL.sightings, { trigger: 'd', value, begun, done: begun + 10 }],
});

const found = (facts: CrossedFacts) =>
  Object.fromEntries(Object.entries(judgeCrossings(facts)).filter(([, list]) => list.length > 0));

describe('the checker of combined features', () => {
  it('accepts a correct history', () => expect(found(WELL)).toEqual({}));

  it.each<[string, CrossedFacts, Record<string, readonly string[]>]>([
    [
      'more runs begin within the period of a rate than its limit',
      moved('t3', 2_100),
      { rateExceeded: ['turn-0 at 3000: 2 others in the 1100 ms before'] },
    ],
    ['a turn is lost', without('t2'), { turnsNotOnce: ['turn-0 at 2000: 0 times'] }],
    ['a turn is run twice', alsoRan(ran('t9', 'turn-0')), { turnsNotOnce: ['turn-0 at 1000: 2 times'] }],
    [
      'an occurrence begins before the last part of the previous one has ended',
      moved('b0', 2_000),
      { occurrencesOverlap: ['queueAll-0 at 2000 began 100 ms before queueAll-0 at 1000 ended'] },
    ],
    ['a part is lost', without('a1'), { partsNotOnce: ['queueAll-0 at 1000: parts 0'] }],
    [
      'a queued occurrence is lost',
      { ...WELL, succeeded: WELL.succeeded.filter(({ occurrence }) => occurrence !== 'b') },
      { partsNotOnce: ['queueAll-0 at 2000: 0 times'] },
    ],
    [
      'an attempt finds the checkpoint of another occurrence',
      with_(line({ line: 'found', job: 'link-0-0', id: 'l3', occurrence: 'y', mono: 1_300, found: 'x' })),
      { checkpointsMixed: ['link-0-0 at 1000: y found that of x'] },
    ],
    [
      'an attempt finds no checkpoint although one was stored',
      with_(line({ line: 'found', job: 'link-0-0', id: 'l3', occurrence: 'x', mono: 1_300, found: null })),
      { checkpointsMixed: ['link-0-0 at 1000: x found none'] },
    ],
    [
      'a parent run is lost',
      without('o'),
      { linksNotOnce: ['origin-0 at 1000: 0 times', 'link-0-0: 1 in place of 0'] },
    ],
    ['a chained run is lost', without('l2'), { linksNotOnce: ['link-0-0: 0 in place of 1'] }],
    ['a restart undoes an edit', seen(5, 800), { overridesLost: ['d: 5 in place of 12'] }],
    ['an earlier edit comes back', seen(10, 800), { overridesLost: ['d: 10 in place of 12'] }],
  ])('detects that %s', (_, facts, expected) => expect(found(facts)).toEqual(expected));

  it('accepts runs that a stopped process already held', () => {
    const stops = [{ node: 'n1-1', from: 1_500, to: 2_000 }];
    expect(found({ ...moved('t3', 2_100), stops })).toEqual({});
  });

  it('accepts an edit if it is unknown whether it was stored', () => {
    expect(found(seen(11, 450))).toEqual({});
    expect(found(seen(10, 450))).toEqual({});
  });
});
