import type { Line, Start } from '../cluster/support/history';
import type { AuditRow } from '../cluster/support/tables';
import type { ExpectedTrigger, Load } from '../cluster/support/workload';
import { checkHistory, describeVerdict, type Run } from './checker/check-history';

/*
 * Tests of the checker: it accepts a correct history, and detects every kind of corruption.
 */

const load = (name: string, rest: Partial<Load>): Load => ({
  name,
  jobs: 1,
  triggers: 1,
  interval: 1_000,
  duration: 300,
  schedule: 'simple',
  exclusive: false,
  recovers: false,
  ...rest,
});
const trigger = (name: string, rest: Partial<Load>): ExpectedTrigger => ({
  load: load(name, rest),
  job: name,
  trigger: name,
  times: [1_000, 2_000, 3_000],
});
const EXPECTED = [
  trigger('plain', {}),
  trigger('alone', { exclusive: true }),
  trigger('again', { recovers: true }),
  trigger('counts', { exclusive: true, persists: true }),
  trigger('flaky', { failing: { attempts: 1, retries: 2, delay: 100 } }),
  trigger('hopeless', { failing: { attempts: 9, retries: 1, delay: 100 } }),
];

const written = (node: string, mono: number) => ({ node, mono, wall: mono });
const start = (id: string, node: string, name: string, time: number, rest: Partial<Start> = {}): Start => ({
  line: 'start',
  id,
  time,
  trigger: name,
  origin: name,
  job: name,
  recovers: null,
  ...written(node, time + 10),
  ...rest,
});
const end = (id: string, node: string, mono: number, failed?: boolean): Line => ({
  line: 'end',
  id,
  ...written(node, mono),
  ...(failed ? { failed } : {}),
});
const done = (id: string, node: string, mono: number): Line => ({ line: 'done', id, ...written(node, mono) });
const event = (type: string, node: string, rest: object = {}): Line => ({
  line: 'event',
  type,
  ...written(node, 9_000),
  ...rest,
});
const row = (
  op: AuditRow['op'],
  entryId: string,
  instanceName: string,
  triggerName: string,
  schedTime: number,
): AuditRow => ({
  op,
  entryId,
  instanceName,
  triggerName,
  schedTime,
  state: 'EXECUTING',
});

/** A correct history: A and B alternate. `flaky` succeeds after a retry, `hopeless` never. B is killed during `again`, which A recovers. */
function good(): Run & { history: Line[]; audit: AuditRow[] } {
  const history: Line[] = ['A', 'B'].map((node) => ({
    line: 'created',
    instanceId: `id-${node}`,
    ...written(node, 0),
  }));
  const audit: AuditRow[] = [];
  for (const {
    trigger: name,
    load: { persists, failing },
    times,
  } of EXPECTED) {
    for (const [index, time] of times.entries()) {
      const id = `${name}${index}`;
      const node = index === 1 ? 'B' : 'A';
      const isKilled = id === 'again1';
      history.push(start(id, node, name, time, persists ? { count: index } : {}));
      if (!isKilled) history.push(end(id, node, time + 310, failing !== undefined), done(id, node, time + 320));
      audit.push(row('I', id, `id-${node}`, name, time), row('D', id, `id-${node}`, name, time));
      if (failing === undefined) continue;
      const retry = { trigger: `retry_${id}`, retry: 1, mono: time + 420 };
      history.push(start(`${id}r`, node, name, time, retry));
      history.push(end(`${id}r`, node, time + 700, failing.attempts > 1), done(`${id}r`, node, time + 710));
      audit.push(row('I', `${id}r`, `id-${node}`, `retry_${id}`, time + 420));
    }
  }
  const recovering = { trigger: 'recover_again1', recovers: 'again1', attempt: 1, ...written('A', 6_000) };
  history.push(start('x1', 'A', 'again', 2_000, recovering), end('x1', 'A', 6_300), done('x1', 'A', 6_310));
  history.push(event('nodeFailed', 'A', { instanceId: 'id-B' }));
  audit.push(row('I', 'x1', 'id-A', 'recover_again1', 2_000), row('D', 'x1', 'id-A', 'recover_again1', 2_000));
  return {
    history,
    audit,
    expected: EXPECTED,
    killed: new Map([['B', 2_900]]),
    fenced: new Set(),
    stops: [],
    deadLetters: new Set(['hopeless0r', 'hopeless1r', 'hopeless2r']),
    wallOffset: 0,
  };
}

const brokenBy = (run: Run) =>
  Object.entries(checkHistory(run).violations)
    .filter(([, found]) => found.length > 0)
    .map(([name]) => name)
    .sort();

/** The correct history with a change. */
function spoilt(change: (run: ReturnType<typeof good>) => Partial<Run>): Run {
  const run = good();
  return { ...run, ...change(run) };
}
const without = (run: Run, ...ids: readonly string[]) =>
  run.history.filter((line) => !('id' in line) || !ids.includes(line.id ?? ''));
const withoutLine = (run: Run, kind: Line['line'], id: string) =>
  run.history.filter((line) => !(line.line === kind && 'id' in line && line.id === id));
const changed = (run: Run, id: string, rest: object, kind: Line['line'] = 'start') =>
  run.history.map((line) =>
    line.line === kind && 'id' in line && line.id === id ? ({ ...line, ...rest } as Line) : line,
  );
const auditWithout = (run: Run, id: string) => run.audit.filter(({ entryId }) => entryId !== id);

describe('the checker of a run', () => {
  it('accepts a correct history, and counts its runs', () => {
    expect(brokenBy(good())).toEqual([]);
    expect(checkHistory(good()).counts).toMatchObject({
      expected: 18,
      started: 18,
      retried: 6,
      deadLetters: 3,
      interrupted: 1,
      runAgain: 1,
      recoveriesOwed: 1,
      increments: 3,
      latenessP50: 10,
    });
    expect(checkHistory(good()).recoveryDelays).toEqual([3_100]);
  });

  it('counts a firing that never began as lost if its node was killed after firing it', () => {
    const run = spoilt((each) => ({ history: without(each, 'plain1') }));
    expect(brokenBy(run)).toEqual([]);
    expect(checkHistory(run).counts).toMatchObject({ started: 17, lostWithTheirNode: 1 });
  });

  it('counts a fire time for which its trigger still waits as late, and earlier fire times as missing', () => {
    const run = spoilt((each) => ({ history: without(each, 'plain2'), audit: auditWithout(each, 'plain2') }));
    const waiting = { ...run, waitingFor: new Map([['plain', 3_000]]) };
    expect(brokenBy(waiting)).toEqual([]);
    expect(checkHistory(waiting).counts).toMatchObject({ stillWaiting: 1 });
    expect(brokenBy({ ...run, waitingFor: new Map([['plain', 4_000]]) })).toEqual(['missing']);
  });

  it('detects more concurrent runs than a limit allows', () => {
    const limited = ({ expected }: Run) =>
      expected.map((each) => (each.job === 'plain' ? { ...each, load: { ...each.load, limit: 1 } } : each));
    const run = spoilt((each) => ({ expected: limited(each) }));
    expect(brokenBy(run)).toEqual([]);
    expect(brokenBy({ ...run, history: changed(run, 'plain0', { mono: 2_300 }, 'end') })).toEqual(['overlapping']);
  });

  it('accepts an overlap with a run of a stopped process until its abort can arrive', () => {
    const stop = { node: 'A', from: 1_100, to: 2_200 };
    const run = spoilt((each) => ({ history: changed(each, 'alone0', { mono: 2_300 }, 'end'), stops: [stop] }));
    expect(brokenBy(run)).toEqual([]);
    expect(checkHistory(run).counts).toMatchObject({ overlapsAfterStop: 1 });
  });

  it('measures an overlap after SIGCONT from the first line that the process writes', () => {
    const stop = { node: 'A', from: 1_100, to: 2_200 };
    const late = (run: ReturnType<typeof good>) => changed(run, 'alone0', { mono: 2_900 }, 'end');
    const isQuiet = ({ node, mono }: Line) => node !== 'A' || mono <= 2_200 || mono >= 2_890;
    const run = spoilt((each) => ({ history: late(each).filter(isQuiet), stops: [stop] }));
    expect(brokenBy(run)).not.toContain('overlapping');
  });

  it('accepts an overlapping run that begins after SIGCONT, unless it is completed or continues', () => {
    const stops = [{ node: 'B', from: 500, to: 1_990 }];
    const late = (run: ReturnType<typeof good>) => ({
      ...run,
      history: changed(run, 'alone0', { mono: 2_500 }, 'end'),
    });
    const stored = spoilt((each) => ({ ...late(each), stops }));
    expect(brokenBy(stored)).toEqual(['overlapping']);
    const unstored = (run: ReturnType<typeof good>) => ({ history: withoutLine(late(run), 'done', 'alone1'), stops });
    expect(brokenBy(spoilt(unstored))).not.toContain('overlapping');
    const longer = (run: ReturnType<typeof good>) =>
      changed({ ...run, ...unstored(run) }, 'alone1', { mono: 2_480 }, 'end');
    expect(brokenBy(spoilt((each) => ({ history: longer(each), stops })))).toContain('overlapping');
  });

  it('does not require the recovery of a run that had ended before its node died', () => {
    const run = spoilt((each) => ({ history: [...without(each, 'x1'), end('again1', 'B', 2_800)] }));
    expect(brokenBy(run)).toEqual([]);
  });

  it('accepts stale data in a run that begins after SIGCONT, unless it is completed', () => {
    const stale = (run: ReturnType<typeof good>) => ({ history: changed(run, 'counts2', { count: 1 }) });
    const run = spoilt((each) => stale(each));
    const start = run.history.find((line) => line.line === 'start' && line.id === 'counts2') as Start;
    const stopped = { ...run, stops: [{ node: start.node, from: start.mono - 500, to: start.mono - 100 }] };
    expect(brokenBy(stopped)).toEqual(['incrementsLost']);
    const unstored = withoutLine(
      { ...stopped, history: [...stopped.history], audit: [...run.audit] },
      'done',
      'counts2',
    );
    expect(brokenBy({ ...stopped, history: unstored })).not.toContain('incrementsLost');
  });

  it('accepts an attempt that is lost with its node before it begins', () => {
    const taken = row('D', 'flaky1r', 'id-B', 'retry_flaky1', 2_420);
    const run = spoilt((each) => ({ history: without(each, 'flaky1r'), audit: [...each.audit, taken] }));
    expect(brokenBy(run)).toEqual([]);
  });

  const stopped = (mono: number) => ({ line: 'abort', id: 'flaky0r', ...written('A', mono) }) as Line;
  const fencedBefore = (...more: readonly Line[]) =>
    spoilt((each) => ({
      fenced: 'all',
      history: [
        ...withoutLine({ ...each, history: changed(each, 'flaky0r', { mono: 12_000 }) }, 'done', 'flaky0r'),
        event('nodeFenced', 'A', { reason: 'leaseExpired' }),
        event('completionFenced', 'A', { id: 'flaky0r' }),
        ...more,
      ],
    }));

  it('accepts an attempt whose node had lost its lease before it began, if it was aborted at once', () => {
    expect(brokenBy(fencedBefore(stopped(12_000)))).not.toContain('neverCompleted');
    expect(brokenBy(fencedBefore())).toContain('neverCompleted');
    expect(brokenBy(fencedBefore(stopped(12_500)))).toContain('neverCompleted');
  });

  it('accepts an attempt that was deferred twice', () => {
    const run = spoilt((each) => ({
      history: changed(each, 'flaky0r', { trigger: 'deferred_d2' }),
      audit: [
        ...each.audit,
        row('I', 'd1', 'id-A', 'retry_flaky0', 1_420),
        row('I', 'd2', 'id-B', 'deferred_d1', 1_420),
      ],
    }));
    expect(brokenBy(run)).toEqual([]);
  });

  it('accepts a second recovery if the first was lost with its node before it began', () => {
    const run = spoilt((each) => ({ history: changed(each, 'x1', { attempt: 2 }) }));
    expect(brokenBy(run)).toEqual([]);
  });

  it.each<[string, readonly string[], (run: ReturnType<typeof good>) => Partial<Run>]>([
    [
      'a fire time that no node fired',
      ['missing'],
      (run) => ({ history: without(run, 'plain0'), audit: auditWithout(run, 'plain0') }),
    ],
    [
      'a firing of a live node that never begins',
      ['missing'],
      (run) => ({
        history: [...without(run, 'plain0'), event('nodeFenced', 'A')],
        audit: run.audit.filter(({ op, entryId }) => entryId !== 'plain0' || op !== 'D'),
        fenced: 'all',
      }),
    ],
    ['a firing that a live node has lost', ['missing'], (run) => ({ history: without(run, 'plain0') })],
    [
      'a fire time that began twice',
      ['startedTwice'],
      (run) => ({
        history: [...run.history, start('y1', 'A', 'plain', 3_000), end('y1', 'A', 3_400), done('y1', 'A', 3_500)],
        audit: [...run.audit, row('I', 'y1', 'id-A', 'plain', 3_000)],
      }),
    ],
    [
      'a fire time that was fired twice although it began once',
      ['startedTwice'],
      (run) => ({ audit: [...run.audit, row('I', 'y1', 'id-A', 'plain', 3_000)] }),
    ],
    [
      'a firing at an unexpected time',
      ['startedUnexpectedly'],
      (run) => ({
        history: [...run.history, start('y1', 'A', 'plain', 2_500), end('y1', 'A', 2_600), done('y1', 'A', 2_700)],
        audit: [...run.audit, row('I', 'y1', 'id-A', 'plain', 2_500)],
      }),
    ],
    [
      'a firing that began before its time',
      ['startedEarly'],
      (run) => ({ history: changed(run, 'plain0', { mono: 990 }) }),
    ],
    [
      'two concurrent runs of an exclusive job',
      ['overlapping'],
      (run) => ({ history: changed(run, 'alone0', { mono: 2_500 }, 'end') }),
    ],
    [
      'a run of an exclusive job during a run that never ends',
      ['neverCompleted', 'overlapping'],
      (run) => ({ history: withoutLine({ ...run, history: withoutLine(run, 'end', 'alone0') }, 'done', 'alone0') }),
    ],
    [
      'an overlap with a run that a stopped process continues for too long',
      ['overlapping'],
      (run) => ({
        history: [...changed(run, 'alone0', { mono: 2_900 }, 'end'), event('nodeJoined', 'A', { mono: 2_300 })],
        stops: [{ node: 'A', from: 1_100, to: 2_200 }],
      }),
    ],
    ['a lost increment', ['incrementsLost'], (run) => ({ history: changed(run, 'counts2', { count: 1 }) })],
    [
      'a counter value that was never stored',
      ['incrementsLost'],
      (run) => ({ history: changed(run, 'counts2', { count: 3 }) }),
    ],
    ['a missing recovery', ['notRecovered'], (run) => ({ history: without(run, 'x1') })],
    [
      'a recovery that was interrupted and not repeated',
      ['notRecovered'],
      (run) => ({
        history: withoutLine({ ...run, history: withoutLine(run, 'end', 'x1') }, 'done', 'x1'),
        killed: new Map([...run.killed, ['A', 6_100]]),
      }),
    ],
    [
      'a firing that was recovered twice',
      ['recoveredTwice'],
      (run) => ({
        history: [
          ...run.history,
          start('x2', 'A', 'again', 2_000, { trigger: 'recover_again1', recovers: 'again1', attempt: 1, mono: 7_000 }),
          end('x2', 'A', 7_300),
          done('x2', 'A', 7_310),
        ],
        audit: [...run.audit, row('I', 'x2', 'id-A', 'recover_again1', 2_000)],
      }),
    ],
    [
      'a recovery of a completed firing',
      ['recoveredNeedlessly'],
      (run) => ({ history: [...run.history, end('again1', 'B', 2_300), done('again1', 'B', 2_310)] }),
    ],
    [
      'a recovery of a job that does not request it',
      ['recoveredNeedlessly'],
      (run) => ({ expected: run.expected.map((each) => ({ ...each, load: { ...each.load, recovers: false } })) }),
    ],
    [
      'a recovery of a firing of a live node',
      ['falseFailOvers', 'neverCompleted', 'recoveredNeedlessly'],
      () => ({ killed: new Map() }),
    ],
    [
      'an attempt that began twice',
      ['retriedTwice'],
      (run) => ({
        history: [
          ...run.history,
          start('y1', 'A', 'flaky', 1_000, { trigger: 'retry_flaky0', retry: 1, mono: 1_800 }),
          end('y1', 'A', 1_900),
          done('y1', 'A', 1_910),
        ],
        audit: [...run.audit, row('I', 'y1', 'id-A', 'retry_flaky0', 1_500)],
      }),
    ],
    [
      'a retry after a successful attempt',
      ['retriedNeedlessly'],
      (run) => ({ history: changed(run, 'flaky0', { failed: false }, 'end') }),
    ],
    [
      'a retry after an attempt whose completion was refused',
      ['retriedNeedlessly'],
      (run) => ({ history: [...run.history, event('completionFenced', 'A', { id: 'flaky0' })] }),
    ],
    [
      'a retry with another fire time',
      ['retriedNeedlessly'],
      (run) => ({ history: changed(run, 'flaky0r', { time: 3_000, retry: 2 }) }),
    ],
    [
      'a deferred attempt of another run',
      ['notRetried', 'retriedEarly', 'retriedNeedlessly'],
      (run) => ({
        history: changed(run, 'flaky0r', { trigger: 'deferred_d1' }),
        audit: [...run.audit, row('I', 'd1', 'id-A', 'retry_flaky1', 1_420)],
      }),
    ],
    [
      'a retry before its delay has passed',
      ['retriedEarly'],
      (run) => ({ history: changed(run, 'flaky0r', { mono: 1_390 }) }),
    ],
    ['a failed attempt without a retry', ['notRetried'], (run) => ({ history: without(run, 'flaky0r') })],
    [
      'a failed last attempt without a dead letter',
      ['notRetried'],
      () => ({ deadLetters: new Set(['hopeless0r', 'hopeless1r']) }),
    ],
    [
      'a dead letter for a retried run',
      ['wronglyDead'],
      (run) => ({ deadLetters: new Set([...(run.deadLetters ?? []), 'flaky0']) }),
    ],
    ['a missing completion', ['neverCompleted'], (run) => ({ history: withoutLine(run, 'done', 'plain2') })],
    ['a run that was never fired', ['neverFired'], (run) => ({ audit: auditWithout(run, 'plain2') })],
    [
      'a run that another node has fired',
      ['neverFired'],
      (run) => ({
        audit: run.audit.map((each) => (each.entryId === 'plain2' ? { ...each, instanceName: 'id-B' } : each)),
      }),
    ],
    ['one id for two firings', ['sameId'], (run) => ({ history: changed(run, 'plain2', { id: 'plain0' }) })],
    [
      'a live node that was considered dead',
      ['falseFailOvers'],
      (run) => ({ history: [...run.history, event('nodeFailed', 'A', { instanceId: 'C' })] }),
    ],
    [
      'a node that was fenced without a reason',
      ['fencedForNothing'],
      (run) => ({ history: [...run.history, event('nodeFenced', 'A', { reason: 'leaseExpired' })] }),
    ],
    [
      'a node that repaired states',
      ['statesRepaired'],
      (run) => ({ history: [...run.history, event('statesRepaired', 'A')] }),
    ],
    [
      'a process that crashed',
      ['crashes'],
      (run) => ({ history: [...run.history, { line: 'crash', error: 'boom', ...written('A', 9_000) }] }),
    ],
  ])('detects %s', (_, broken, change) => {
    const run = spoilt(change);
    expect(brokenBy(run)).toEqual(broken);
    expect(describeVerdict(checkHistory(run))).toContain(`${broken[0]}: `);
  });
});
