import type { Line } from '../cluster/support/history';
import type { AuditRow } from '../cluster/support/tables';
import { judgePolicies } from './checker/policies';
import type { EndedRun, JudgedKind, PolicyFacts, PolicyStart } from './checker/policy-facts';

/*
 * The judge of jobs with policies, judged: a good history is accepted, and every way to spoil it is noticed.
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

/** A run with all that is written down of it; ids are those of jobs and attempts. */
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

/** What is found, by the rule that it breaks: how often. */
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

describe('jobs with policies', () => {
  it.each<[string, Story]>([
    ['one that succeeded', WELL],
    ['one that timed out, and was tried again', RETRIED],
    ['one that was lost with its node, and run again', { ...WELL, ended: [ran(JOB, 1, 'lost'), ran(JOB)] }],
    ['one that needs a label', { ...WELL, kind: { runsOn: ['red'] } }],
    ['one that is urgent enough', { ...WELL, kind: { priority: 6 }, begun: [{ job: JOB, node: 'n2-1' }] }],
    ['one that prefers another node, and has waited', preferred(TIME + 700)],
    ['one that began at its moment', { ...WELL, begun: [{ job: JOB, at: TIME + 300 }], more: [putOff] }],
    ['one that was told once', OVERDUE],
    ['one that was told to be late', { ...WELL, begun: [{ job: JOB, at: TIME + 2_000 }], more: [toldLate] }],
    [
      'one that counts',
      { ...WELL, kind: { counts: true }, begun: [{ job: JOB, found: [0, 1] }], counts: { [JOB]: 1 } },
    ],
    ['two that may run together', { ...PAIR, kind: { jobs: 2, limit: 2, limitOnNode: 2 } }],
  ])('accept %s', (_, story) => {
    expect(found(factsOf(story))).toEqual({});
  });

  it.each<[string, Story, Record<string, number>]>([
    ['a time that nothing became of', { ...WELL, ended: [] }, { endedOtherwise: 1 }],
    ['an attempt that ended twice', { ...WELL, ended: [ran(JOB), ran(JOB)] }, { endedOtherwise: 1 }],
    ['another end', { ...WELL, ended: [ran(JOB, 1, 'failed')] }, { endedOtherwise: 1 }],
    ['a run of a time that is not due', also(WELL, [], [{ ...ran(JOB), time: 9_000 }]), { endedOtherwise: 1 }],
    ['a second time limit of one attempt', also(RETRIED, [], [ran(JOB, 1, 'timedOut')]), { endedOtherwise: 1 }],
    ['a time limit without a retry', { ...RETRIED, ended: [ran(JOB, 1, 'timedOut')] }, { endedOtherwise: 1 }],
    ['a node without the label', { ...WELL, kind: { runsOn: ['red', 'blue'] } }, { misplaced: 1 }],
    ['a node that takes more urgent ones', { ...WELL, begun: [{ job: JOB, node: 'n2-1' }] }, { misplaced: 1 }],
    ['a node that is not preferred, too early', preferred(TIME + 600), { takenEarly: 1 }],
    ['a retry before the pause', soon(RETRIED), { retriedEarly: 1 }],
    ['a run before its time', { ...WELL, begun: [{ job: JOB, at: TIME - 20 }] }, { startedEarly: 1 }],
    ['a run before its moment', { ...WELL, more: [putOff] }, { startedEarly: 1 }],
    ['a run later than it may begin', late(), { startedLate: 1, lateUntold: 1 }],
    [
      'data of the old form',
      { ...WELL, kind: { found: ['ada', 1] }, begun: [{ job: JOB, found: ['ada'] }] },
      { foundOldData: 1 },
    ],
    [
      'a count that was lost',
      { ...WELL, kind: { counts: true }, begun: [{ job: JOB, found: [0] }], counts: { [JOB]: 0 } },
      { countsLost: 1 },
    ],
    [
      'more begun in the span than the rate says',
      { ...PAIR, kind: { jobs: 2, rate: { limit: 1, per: 1_000 } } },
      { rateExceeded: 1 },
    ],
    ['more at once than the limit says', { ...PAIR, kind: { jobs: 2, limit: 1 } }, { overlapping: 1 }],
    ['more at once on a node', { ...PAIR, kind: { jobs: 2, limitOnNode: 1 } }, { tooManyOnNode: 1 }],
    [
      'two runs of one that is alone',
      { ...soon(RETRIED, 20), kind: { ...RETRIED.kind, isAlone: true } },
      { overlapping: 1, retriedEarly: 1 },
    ],
    ['nothing told', { ...OVERDUE, more: [] }, { notToldOnce: 1 }],
    ['a lapse told twice', { ...OVERDUE, more: [overdue, overdue] }, { notToldOnce: 1 }],
    ['a node that repaired states', { ...WELL, more: [eventLine('statesRepaired')] }, { statesRepaired: 1 }],
  ])('show %s', (_, story, expected) => {
    expect(found(factsOf(story))).toEqual(expected);
  });

  it.each(['before', 'after'])('show a run without what middleware does %s it', (missing) => {
    const { run, ...facts } = factsOf(WELL);
    const spoiled = run.history.map((line) =>
      (line.line as string) === missing ? { ...line, mono: TIME + 20 } : line,
    );
    const isEarlyOrLate = { ...run, history: spoiled };
    expect(found({ ...facts, run: isEarlyOrLate })).toEqual({ notAround: 1 });
  });

  it('show a run that nobody has fired', () => {
    const { run, ...facts } = factsOf(WELL);
    expect(found({ ...facts, run: { ...run, audit: [] } })).toEqual({ neverFired: 1 });
  });
});

function also(story: Story, begun: readonly Begun[], ended: readonly EndedRun[]): Story {
  return { ...story, begun: [...story.begun, ...begun], ended: [...story.ended, ...ended] };
}

/** The second attempt begins so long after the time. */
function soon(story: Story, after = 200): Story {
  return { ...story, begun: [{ job: JOB }, { job: JOB, nth: 2, at: TIME + after }] };
}

function preferred(at: number): Story {
  return { ...WELL, kind: { prefers: { label: 'blue', fallbackAfter: 700 } }, begun: [{ job: JOB, at }] };
}

function late(): Story {
  return { ...WELL, kind: { startWithin: 1_000 }, begun: [{ job: JOB, at: TIME + 2_000 }] };
}
