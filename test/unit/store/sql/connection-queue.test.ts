import { ManualClock } from '../../../../src/base/manual-clock';
import type { Session } from '../../../../src/store/sql/runtime/session';
import { ConnectionQueue } from '../../../../src/store/sql/runtime/session';

class FakeSession implements Session {
  usable = true;
  readonly counts = { statements: 0, commits: 0 };
  isClosed = false;
  execute = async () => ({ rows: [], changes: 0 });
  begin = async () => undefined;
  commit = async () => undefined;
  rollback = async () => undefined;
  discard() {
    this.usable = false;
  }
  async close() {
    this.isClosed = true;
    this.usable = false;
  }
}

describe('a connection queue', () => {
  let sessions: FakeSession[];
  let queue: ConnectionQueue;

  beforeEach(() => {
    sessions = [];
    queue = new ConnectionQueue(async () => {
      const session = new FakeSession();
      sessions.push(session);
      return session;
    });
  });

  it('connects on first use, and once', async () => {
    expect(sessions).toHaveLength(0);
    await queue.use(async () => undefined);
    await queue.use(async () => undefined);
    expect(sessions).toHaveLength(1);
  });

  it('counts waiting work, and keeps the counts of closed connections', async () => {
    expect(queue.read()).toEqual({ open: 0, inUse: 0, waiting: 0, statements: 0, commits: 0 });
    const work = async (session: Session) => {
      session.counts.statements += 2;
      session.counts.commits++;
    };
    let whileBusy: unknown = null;
    await Promise.all([
      queue.use(async () => {
        whileBusy = queue.read();
      }),
      queue.use(work),
      queue.use(work),
    ]);
    expect(whileBusy).toMatchObject({ open: 1, inUse: 1, waiting: 2 });
    sessions[0]?.discard();
    expect(queue.read()).toEqual({ open: 0, inUse: 0, waiting: 0, statements: 4, commits: 2 });
    await queue.use(work);
    expect(queue.read()).toEqual({ open: 1, inUse: 0, waiting: 0, statements: 6, commits: 3 });
    await queue.close();
    expect(queue.read()).toEqual({ open: 0, inUse: 0, waiting: 0, statements: 6, commits: 3 });
  });

  it('runs one piece of work at a time, in order, even after a failure', async () => {
    const log: string[] = [];
    const use = (name: string, fails = false) =>
      queue.use(async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const results = await Promise.allSettled([use('a'), use('b', true), use('c')]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(queue.load).toBe(0);
  });

  it('reconnects after the connection was lost', async () => {
    await queue.use(async (session) => session.discard());
    await queue.use(async (session) => expect(session).toBe(sessions[1]));
    expect(sessions).toHaveLength(2);
  });

  it('reconnects after a connection was refused', async () => {
    let refusals = 1;
    const unlucky = new ConnectionQueue(async () => {
      if (refusals-- > 0) throw new Error('refused');
      return new FakeSession();
    });
    await expect(unlucky.use(async () => 'used')).rejects.toThrow('refused');
    await expect(unlucky.use(async () => 'used')).resolves.toBe('used');
  });

  it('completes pending work before it closes, and refuses later work', async () => {
    const using = queue.use(async () => 'used');
    const closing = queue.close();
    await expect(queue.use(async () => 'late')).rejects.toThrow('The store is closed.');
    await expect(using).resolves.toBe('used');
    await closing;
    expect(sessions[0]?.isClosed).toBe(true);
  });

  it('closes an idle connection before the server drops it, but never a busy one', async () => {
    const clock = new ManualClock();
    const limited = new ConnectionQueue(async () => {
      const session = Object.assign(new FakeSession(), { idleLimit: { clock, ms: 1_400 } });
      sessions.push(session);
      return session;
    });
    const pass = async (milliseconds: number) => {
      clock.advanceBy(milliseconds);
      await new Promise<void>((resolve) => setImmediate(resolve));
    };
    const closed = () => sessions.map(({ isClosed }) => isClosed);
    await limited.use(() => pass(5_000)); // a pause within a transaction
    await pass(1_000);
    await limited.use(async () => undefined);
    await pass(1_399);
    expect(closed()).toEqual([false]);
    await pass(1);
    expect(closed()).toEqual([true]);
    await limited.use(async () => undefined);
    expect(closed()).toEqual([true, false]);
    await limited.close();
    expect(closed()).toEqual([true, true]);
    expect(clock.nextWakeTime).toBeNull();
  });
});
