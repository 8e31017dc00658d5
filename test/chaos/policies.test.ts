import type { Line } from '../cluster/support/history';
import type { AuditRow } from '../cluster/support/tables';
import { judgePolicies } from './checker/policies';
import type { EndedRun, JudgedKind, PolicyFacts, PolicyStart } from './checker/policy-facts';

/*
 * Tests of the checker of jobs with policies: it accepts a correct history, and detects every kind of corruption.
 */

const TIME = 10_000;
const ONCE = { before: null, last: ['succeeded'] } as const;

interface Begun {
  readonly job: string;
  readonly node?: string;
  readonly at?: number;
  readonly nth?: number;
  readonly found?: readonly unknown[];
  readonly until?: number;
}

/** All lines of a run. Its id consists of the job and the attempt. */
function linesOf({ job, node = 'n1-1', at = TIME + 10, nth = 1, found, until = at + 50 }: Begun): readonly Line[] {
  const id = `${job} ${nth}`;
  const on = (mono: number) => ({ node, mono, wall: mono });
  const of = { id, job, trigger: job, origin: job, recovers: null, time: TIME, nth };
  const start = { line: 'start', ...of, ...on(at), ...(found === undefined ? {} : { found }) } as PolicyStart;
  const around = (line: string, mono: number) => ({ line, id, job, ...on(mono) }) as unknown as Line;
  return [around('before', at), start, { line: 'end', id, ...on(until) }, around('after', until)];
}

const ran = (job: string, attempt = 1, outcome = 'succeeded', ended = TIME + 60): EndedRun => ({
  id: `${job} ${attempt}`,
  ...{ job, time: TIME, attempt, outcome, ended },
});

const eventLine = (type: string, rest: object = {}): Line =>
  ({ line: 'event', type, node: 'n1-1', mono: TIME, wall: TIME, ...rest }) as Line;

interface Story {
  readonly kind: Partial<JudgedKind>;
  readonly begun: readonly Begun[];
  readonly ended: readonly EndedRun[];
  readonly more?: readonly Line[];
  readonly counts?: PolicyFacts['counts'];
}

const factsOf = ({ kind, begun, ended, more = [], counts = {} }: Story): PolicyFacts => {
  const audit = begun.map(
    ({ job, node = 'n1-1', nth = 1 }): AuditRow => ({
      ...{ op: 'I', entryId: `${job} ${nth}`, instanceName: node },
      ...{ triggerName: job, schedTime: TIME, state: 'EXECUTING' },
    }),
  );
  const history = [...begun.flatMap(linesOf), ...more];
  const run = { history, audit, expected: [], killed: new Map(), fenced: 'all', stops: [], wallOffset: 0 } as const;
  return {
    run,
    kinds: [{ name: 'job', jobs: 1, ends: ONCE, times: [TIME], ...kind }],
    ended,
    places: { n1: { labels: ['red'] }, n2: { labels: ['blue'], priorities: { min: 6 } } },
    counts,
    lateAfter: 1_500,
  };
};

/** Number of violations by rule. */
const found = (facts: PolicyFacts) =>
  Object.fromEntries(
    Object.entries(judgePolicies(facts).violations)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, list.length]),
  );

const JOB = 'job-0';
const WELL: Story = { kind: {}, begun: [{ job: JOB }], ended: [ran(JOB)] };
const RETRIED: Story = {
  kind: { ends: { before: 'timedOut', last: ['succeeded'] }, retryDelay: 200 },
  begun: [{ job: JOB }, { job: JOB, nth: 2, at: TIME + 265 }],
  ended: [ran(JOB, 1, 'timedOut'), ran(JOB, 2)],
};
const PAIR: Story = {
  kind: { jobs: 2 },
  begun: [{ job: JOB }, { job: 'job-1', at: TIME + 20 }],
  ended: [ran(JOB), ran('job-1')],
};
const overdue = eventLine('overdue', { jobKey: { name: JOB } });
const OVERDUE: Story = { ...WELL, kind: { overdueAfter: 100 }, more: [overdue] };
const toldLate = eventLine('firingLate', { id: `${JOB} 1` });
const putOff = eventLine('firingDeferred', { reason: 'jitter', job: JOB, time: TIME, until: TIME + 300 });

describe('the checker of jobs with policies', () => {
  it.each<[string, Story]>([
    ['a run that succeeded', WELL],
    ['a run that timed out and was retried', RETRIED],
    ['a run that was lost with its node and recovered', { ...WELL, ended: [ran(JOB, 1, 'lost'), ran(JOB)] }],
    ['a run that needs a label', { ...WELL, kind: { runsOn: ['red'] } }],
    ['a run whose priority its node accepts', { ...WELL, kind: { priority: 6 }, begun: [{ job: JOB, node: 'n2-1' }] }],
    ['a run that has waited for its preferred node', preferred(TIME + 700)],
    ['a run that began at its jittered time', { ...WELL, begun: [{ job: JOB, at: TIME + 300 }], more: [putOff] }],
    ['an overdue job that was reported once', OVERDUE],
    ['a late run that was reported', { ...WELL, begun: [{ job: JOB, at: TIME + 2_000 }], more: [toldLate] }],
    [
      'a run that counts',
      { ...WELL, kind: { counts: true }, begun: [{ job: JOB, found: [0, 1] }], counts: { [JOB]: 1 } },
    ],
    ['two runs within their limits', { ...PAIR, kind: { jobs: 2, limit: 2, limitOnNode: 2 } }],
  ])('accepts %s', (_, story) => {
    expect(found(factsOf(story))).toEqual({});
  });

  it.each<[string, Story, Record<string, number>]>([
    ['a fire time without a run', { ...WELL, ended: [] }, { endedOtherwise: 1 }],
    ['an attempt that ended twice', { ...WELL, ended: [ran(JOB), ran(JOB)] }, { endedOtherwise: 1 }],
    ['an unexpected outcome', { ...WELL, ended: [ran(JOB, 1, 'failed')] }, { endedOtherwise: 1 }],
    ['a run with an unexpected fire time', also(WELL, [], [{ ...ran(JOB), time: 9_000 }]), { endedOtherwise: 1 }],
    ['an attempt that timed out twice', also(RETRIED, [], [ran(JOB, 1, 'timedOut')]), { endedOtherwise: 1 }],
    ['a timeout without a retry', { ...RETRIED, ended: [ran(JOB, 1, 'timedOut')] }, { endedOtherwise: 1 }],
    ['a run on a node without the label', { ...WELL, kind: { runsOn: ['red', 'blue'] } }, { misplaced: 1 }],
    [
      'a run on a node that requires a higher priority',
      { ...WELL, begun: [{ job: JOB, node: 'n2-1' }] },
      { misplaced: 1 },
    ],
    ['a run that begins too early on a node that is not preferred', preferred(TIME + 600), { takenEarly: 1 }],
    ['a retry before its delay has passed', soon(RETRIED), { retriedEarly: 1 }],
    ['a run before its fire time', { ...WELL, begun: [{ job: JOB, at: TIME - 20 }] }, { startedEarly: 1 }],
    ['a run before its jittered time', { ...WELL, more: [putOff] }, { startedEarly: 1 }],
    ['a run that begins after startWithin', late(), { startedLate: 1, lateUntold: 1 }],
    [
      'data of an old version',
      { ...WELL, kind: { found: ['ada', 1] }, begun: [{ job: JOB, found: ['ada'] }] },
      { foundOldData: 1 },
    ],
    [
      'a lost count',
      { ...WELL, kind: { counts: true }, begun: [{ job: JOB, found: [0] }], counts: { [JOB]: 0 } },
      { countsLost: 1 },
    ],
    [
      'more starts than the rate allows',
      { ...PAIR, kind: { jobs: 2, rate: { limit: 1, per: 1_000 } } },
      { rateExceeded: 1 },
    ],
    ['more concurrent runs than the limit allows', { ...PAIR, kind: { jobs: 2, limit: 1 } }, { overlapping: 1 }],
    [
      'more concurrent runs on a node than its limit allows',
      { ...PAIR, kind: { jobs: 2, limitOnNode: 1 } },
      { tooManyOnNode: 1 },
    ],
    [
      'two concurrent runs of an exclusive job',
      { ...soon(RETRIED, 20), kind: { ...RETRIED.kind, isAlone: true } },
      { overlapping: 1, retriedEarly: 1 },
    ],
    ['an overdue job that was not reported', { ...OVERDUE, more: [] }, { notToldOnce: 1 }],
    ['a lapse that was reported twice', { ...OVERDUE, more: [overdue, overdue] }, { notToldOnce: 1 }],
    ['a node that repaired states', { ...WELL, more: [eventLine('statesRepaired')] }, { statesRepaired: 1 }],
  ])('detects %s', (_, story, expected) => {
    expect(found(factsOf(story))).toEqual(expected);
  });

  it.each(['before', 'after'])('detects that the middleware did not run %s the job', (missing) => {
    const { run, ...facts } = factsOf(WELL);
    const spoiled = run.history.map((line) =>
      (line.line as string) === missing ? { ...line, mono: TIME + 20 } : line,
    );
    const isEarlyOrLate = { ...run, history: spoiled };
    expect(found({ ...facts, run: isEarlyOrLate })).toEqual({ notAround: 1 });
  });

  it('detects a run that no node has fired', () => {
    const { run, ...facts } = factsOf(WELL);
    expect(found({ ...facts, run: { ...run, audit: [] } })).toEqual({ neverFired: 1 });
  });
});

function also(story: Story, begun: readonly Begun[], ended: readonly EndedRun[]): Story {
  return { ...story, begun: [...story.begun, ...begun], ended: [...story.ended, ...ended] };
}

/** Adds a second attempt that begins `after` ms after the fire time. */
function soon(story: Story, after = 200): Story {
  return { ...story, begun: [{ job: JOB }, { job: JOB, nth: 2, at: TIME + after }] };
}

function preferred(at: number): Story {
  return { ...WELL, kind: { prefers: { label: 'blue', fallbackAfter: 700 } }, begun: [{ job: JOB, at }] };
}

function late(): Story {
  return { ...WELL, kind: { startWithin: 1_000 }, begun: [{ job: JOB, at: TIME + 2_000 }] };
}
