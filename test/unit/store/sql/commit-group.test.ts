import { ManualClock } from '../../../../src/base/manual-clock';
import { ConnectionQueue } from '../../../../src/store/sql/runtime/session';
import { UnknownCommitError } from '../../../../src/store/sql/runtime/sql-driver';
import { Statements } from '../../../../src/store/sql/runtime/statements';
import { CommitGroup, type SavepointSession } from '../../../../src/store/sql/sqlite/sqlite-driver';

const statements = new Statements([
  { name: 'insertLocks', text: 'INSERT', parameters: [], countsTwice: false, indexes: { names: [], inOrder: false } },
  { name: 'selectLock', text: 'SELECT', parameters: [], countsTwice: false, indexes: { names: [], inOrder: false } },
]);

/** A connection that records its calls. */
class Recorder implements SavepointSession {
  readonly told: string[] = [];
  readonly counts = { statements: 0, commits: 0 };
  usable = true;
  /** The call that fails. */
  failing: string | null = null;

  #tell(step: string): void {
    this.told.push(step);
    if (step === this.failing) throw new Error(`${step} failed`);
  }

  async execute({ name }: { readonly name: string }) {
    this.#tell(name);
    return { rows: [], changes: 1 };
  }

  async begin() {
    this.#tell('begin');
  }

  async commit() {
    this.#tell('commit');
  }

  /** Number of commits so far. */
  get counted() {
    return this.told.filter((step) => step === 'commit').length;
  }

  async rollback() {
    this.#tell('rollback');
  }

  savepoint() {
    this.#tell('savepoint');
  }

  release() {
    this.#tell('release');
  }

  rollbackTo() {
    this.#tell('rollbackTo');
  }

  discard() {
    this.usable = false;
  }

  async close() {}
}

function setup() {
  const sessions: Recorder[] = [];
  const connect = async () => {
    const session = new Recorder();
    sessions.push(session);
    return session;
  };
  const clock = new ManualClock();
  const group = new CommitGroup(new ConnectionQueue(connect), statements, async () => undefined, clock);
  const write = (answer: string) =>
    group.run(async (tx) => {
      await tx.run('insertLocks', {});
      return answer;
    });
  return { group, sessions, write, clock };
}

const PART = ['savepoint', 'insertLocks', 'release'];

describe('transactions that are requested together', () => {
  it('are committed together, and each gets its own result', async () => {
    const { sessions, write } = setup();
    expect(await Promise.all([write('a'), write('b'), write('c')])).toEqual(['a', 'b', 'c']);
    expect(sessions[0]?.told).toEqual(['begin', ...PART, ...PART, ...PART, 'commit']);
  });

  it('are committed in groups of at most sixteen, in the order of their requests', async () => {
    const { sessions, write } = setup();
    const answers = Array.from({ length: 20 }, (_, index) => String(index));
    expect(await Promise.all(answers.map(write))).toEqual(answers);
    const groups = sessions[0]?.told.join(' ').split('commit') ?? [];
    expect(groups.map((told) => told.split('insertLocks').length - 1)).toEqual([16, 4, 0]);
  });

  it('fail independently of each other', async () => {
    const { group, sessions, write } = setup();
    const before = write('a');
    const failing = group.run(async (tx) => {
      await tx.run('insertLocks', {});
      throw new Error('no');
    });
    const outcomes = await Promise.allSettled([before, failing, write('c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(sessions[0]?.told).toEqual(['begin', ...PART, 'savepoint', 'insertLocks', 'rollbackTo', ...PART, 'commit']);
  });

  it('fail with an unknown outcome if the commit fails, unless they only read', async () => {
    const { group, sessions, write } = setup();
    await write('first');
    (sessions[0] as Recorder).failing = 'commit';
    const reading = group.run((tx) => tx.all('selectLock', {}));
    const outcomes = await Promise.allSettled([write('a'), reading, write('b')]);
    const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason);
    expect(reasons).toEqual([
      expect.any(UnknownCommitError),
      new Error('commit failed'),
      expect.any(UnknownCommitError),
    ]);
    expect(await write('later')).toBe('later'); // on another connection
    expect(sessions).toHaveLength(2);
  });

  it('fail together if one cannot be rolled back; those not yet started run on another connection', async () => {
    const { group, sessions, write } = setup();
    await write('first');
    (sessions[0] as Recorder).failing = 'rollbackTo';
    const before = write('a');
    const failing = group.run(async () => {
      throw new Error('no');
    });
    const outcomes = await Promise.allSettled([before, failing, write('c')]);
    expect(outcomes).toEqual([
      { status: 'rejected', reason: new Error('rollbackTo failed') },
      { status: 'rejected', reason: new Error('no') },
      { status: 'fulfilled', value: 'c' },
    ]);
  });

  it('all fail if the transaction cannot begin, while later ones succeed', async () => {
    const { sessions, write } = setup();
    await write('first');
    (sessions[0] as Recorder).failing = 'begin';
    const outcomes = await Promise.allSettled([write('a'), write('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await write('later')).toBe('later'); // on another connection
  });
});

describe('schedule changes requested by a program', () => {
  /** Runs changes that yield and other transactions. Returns the names in the order in which they ran, with `|` for each commit. */
  function orderOf() {
    const { group, sessions, clock } = setup();
    const ran: string[] = [];
    const request = (name: string, yields: boolean, durationMs = 0) =>
      group.run(
        async () => {
          ran.push(`${'|'.repeat((sessions[0]?.counted ?? 0) - commits())}${name}`);
          await clock.advanceBy(durationMs);
        },
        { yields },
      );
    const commits = () => ran.join('').split('|').length - 1;
    return { ran, request };
  }

  it('run after firings and check-ins, and keep their order', async () => {
    const { ran, request } = orderOf();
    await Promise.all([request('a', true), request('b', true), request('fire', false), request('check-in', false)]);
    expect(ran).toEqual(['fire', 'check-in', 'a', 'b']);
  });

  it('share a commit for at most 10 ms, so that a firing waits for few of them', async () => {
    const { ran, request } = orderOf();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => request(name, true, 6)));
    expect(ran).toEqual(['a', 'b', '|c', 'd']);
  });

  it('let a firing run between two commits, however many changes wait', async () => {
    const { ran, request } = orderOf();
    const changes = Array.from({ length: 100 }, (_, index) => request(`${index}`, true));
    const firing = new Promise<void>((resolve, reject) => {
      setImmediate(() => request('fire', false).then(resolve, reject));
    });
    await Promise.all([...changes, firing]);
    expect(ran.indexOf('fire') + ran.indexOf('|fire')).toBeLessThan(50);
    expect(ran).toHaveLength(101);
  });

  it('run after at most 15 firings, even if firings never stop', async () => {
    const { ran, request } = orderOf();
    const firings = Array.from({ length: 40 }, (_, index) => request(`fire-${index}`, false));
    await Promise.all([...firings, request('a', true)]);
    expect(ran.indexOf('a')).toBe(15);
  });
});
