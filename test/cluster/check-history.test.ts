import { checkHistory, type Run } from './support/check-history';
import type { Line } from './support/history';
import type { AuditRow } from './support/tables';
import type { ExpectedTrigger, Load } from './support/workload';

/*
 * The judge of the other tests in this folder, judged: a good run is accepted, and every way to spoil it is noticed.
 */

const LOAD: Load = {
  name: 'job',
  jobs: 1,
  triggers: 1,
  interval: 1_000,
  duration: 300,
  schedule: 'simple',
  exclusive: true,
  recovers: true,
};
const EXPECTED: readonly ExpectedTrigger[] = [{ load: LOAD, job: 'job', trigger: 't', times: [1_000, 2_000, 3_000] }];

const start = (
  id: string,
  node: string,
  time: number,
  fields: Partial<Extract<Line, { line: 'start' }>> = {},
): Line => ({
  line: 'start',
  id,
  node,
  time,
  trigger: 't',
  origin: 't',
  job: 'job',
  recovers: null,
  mono: time,
  wall: time,
  ...fields,
});
const end = (id: string, node: string, mono: number): Line => ({ line: 'end', id, node, mono, wall: mono });
const event = (type: string, node: string, fields: object = {}): Line => ({
  line: 'event',
  type,
  node,
  mono: 9_000,
  wall: 9_000,
  ...fields,
});
const fired = (entryId: string, instanceName: string, schedTime: number, triggerName = 't'): AuditRow => ({
  op: 'I',
  entryId,
  instanceName,
  triggerName,
  schedTime,
  state: 'EXECUTING',
});

/** B is killed while it runs the second firing; A runs it again. */
const GOOD: Run = {
  expected: EXPECTED,
  killed: new Set(['B']),
  fenced: new Set(),
  history: [
    start('a1', 'A', 1_000),
    end('a1', 'A', 1_300),
    start('b1', 'B', 2_000),
    start('a2', 'A', 2_000, { recovers: 'b1', trigger: 'recover_b1', mono: 4_000, wall: 4_000 }),
    event('nodeFailed', 'A', { instanceId: 'B' }),
    end('a2', 'A', 4_300),
    start('a3', 'A', 3_000, { mono: 4_400, wall: 4_400 }),
    end('a3', 'A', 4_700),
  ],
  audit: [
    fired('a1', 'A', 1_000),
    fired('b1', 'B', 2_000),
    fired('a2', 'A', 2_000, 'recover_b1'),
    fired('a3', 'A', 3_000),
  ],
};

const brokenBy = (run: Run) =>
  Object.entries(checkHistory(run).violations)
    .filter(([, found]) => found.length > 0)
    .map(([name]) => name);

const without = (id: string) => GOOD.history.filter((line) => !('id' in line) || line.id !== id);

describe('the judge of a run', () => {
  it('accepts a good one, and counts', () => {
    expect(brokenBy(GOOD)).toEqual([]);
    expect(checkHistory(GOOD).counts).toMatchObject({ expected: 3, started: 3, interrupted: 1, runAgain: 1 });
  });

  it('takes a firing that never began for lost with its node, if that was killed after it had fired it', () => {
    const run = { ...GOOD, history: without('b1') };
    expect(brokenBy(run)).toEqual([]);
    expect(checkHistory(run).counts).toMatchObject({ started: 2, lostWithTheirNode: 1 });
  });

  it.each<[string, Partial<Run>, readonly string[]]>([
    [
      'a firing that began twice',
      {
        history: [...GOOD.history, start('a4', 'A', 3_000, { mono: 5_000 }), end('a4', 'A', 5_100)],
        audit: [...GOOD.audit, fired('a4', 'A', 3_000)],
      },
      ['startedTwice'],
    ],
    [
      'a firing that nobody planned',
      {
        history: [...GOOD.history, start('a4', 'A', 3_500, { mono: 5_000 }), end('a4', 'A', 5_100)],
        audit: [...GOOD.audit, fired('a4', 'A', 3_500)],
      },
      ['startedUnexpectedly'],
    ],
    ['a missing firing of a node that lives', { history: without('a3') }, ['missing']],
    [
      'a missing firing that nobody fired',
      {
        history: without('b1').filter((line) => !('recovers' in line) || line.recovers === null),
        audit: GOOD.audit.filter(({ entryId }) => entryId !== 'b1'),
      },
      ['missing'],
    ],
    [
      'a firing that began before its time',
      {
        history: GOOD.history.map((line) =>
          line.line === 'start' && line.id === 'a1' ? { ...line, wall: 900 } : line,
        ),
      },
      ['startedEarly'],
    ],
    [
      'two at once of a job that must run alone',
      {
        history: GOOD.history
          .map((line) => (line.line === 'start' && line.id === 'a3' ? { ...line, mono: 4_200 } : line))
          .sort((a, b) => a.mono - b.mono),
      },
      ['overlapping'],
    ],
    [
      'a job that begins without having been fired',
      { audit: GOOD.audit.filter(({ entryId }) => entryId !== 'a3') },
      ['neverFired'],
    ],
    ['a firing run again although its node lives', { killed: new Set() }, ['recoveredAlthoughAlive', 'falseFailOvers']],
    [
      'a firing run again more often than it died',
      {
        history: [
          ...GOOD.history,
          ...['x1', 'x2'].flatMap((id, index) => [
            start(id, 'A', 2_000, { recovers: 'b1', mono: 6_000 + index * 100 }),
            end(id, 'A', 6_050 + index * 100),
          ]),
        ],
        audit: [...GOOD.audit, fired('x1', 'A', 2_000, 'recover_b1'), fired('x2', 'A', 2_000, 'recover_b1')],
      },
      ['recoveredTwice'],
    ],
    ['a firing that was to be run again and was not', { history: without('a2') }, ['notRecovered']],
    [
      'a node that was taken for dead and was not',
      { history: [...GOOD.history, event('nodeFailed', 'A', { instanceId: 'C' })] },
      ['falseFailOvers'],
    ],
    [
      'a node that was fenced for nothing',
      { history: [...GOOD.history, event('nodeFenced', 'A', { reason: 'leaseExpired' })] },
      ['fencedForNothing'],
    ],
    [
      'states that had to be repaired',
      { history: [...GOOD.history, event('statesRepaired', 'A')] },
      ['statesRepaired'],
    ],
  ])('notices %s', (_, spoilt, broken) => {
    expect(brokenBy({ ...GOOD, ...spoilt })).toEqual(broken);
  });
});
