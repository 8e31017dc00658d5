import { everyMinute, HOUR, job, MINUTE, NOW, once } from '../../conformance/samples';
import { expectFired, namesOf } from '../../conformance/store-driver';
import { flavourOfTests } from '../../support/database/test-database';
import { IS_LONG } from '../../support/long-forms';
import { type DefectNode, describeOnSqlStores } from './support/defect-cluster';

const COUNT = 12;
const MINUTE_ASIDE = 60_000;

/** Changes that the database refuses: an update of a trigger, or the end of a firing. */
const REFUSALS = {
  reservation: "UPDATE ON QRTZ_TRIGGERS|NEW.TRIGGER_NAME = 'bad' AND NEW.TRIGGER_STATE = 'ACQUIRED'",
  firing: "UPDATE ON QRTZ_TRIGGERS|NEW.TRIGGER_NAME = 'bad' AND NEW.NEXT_FIRE_TIME <> OLD.NEXT_FIRE_TIME",
  release: "UPDATE ON QRTZ_TRIGGERS|NEW.TRIGGER_NAME = 'bad' AND OLD.TRIGGER_STATE = 'ACQUIRED'",
  completion: "DELETE ON QRTZ_FIRED_TRIGGERS|OLD.TRIGGER_NAME = 'bad'",
  everything: "UPDATE ON QRTZ_TRIGGERS|NEW.TRIGGER_STATE = 'ACQUIRED' OR NEW.NEXT_FIRE_TIME <> OLD.NEXT_FIRE_TIME",
} as const;

/**
 * A row that the database will not change (because of a constraint, a database trigger or a value out of range) makes the statement of its whole
 * batch fail every time. It must not affect other rows.
 */
describeOnSqlStores('a row that the database refuses to change', (cluster) => {
  const refuse = async (what: keyof typeof REFUSALS) => {
    const [event, condition] = REFUSALS[what].split('|');
    const raise =
      cluster.server === null
        ? `WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`
        : `FOR EACH ROW BEGIN IF ${condition} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF; END`;
    await cluster.change(`CREATE TRIGGER REFUSAL BEFORE ${event} ${raise}`);
  };
  const relent = () => cluster.change('DROP TRIGGER IF EXISTS REFUSAL');

  afterEach(relent);

  const good = Array.from({ length: COUNT }, (_, at) => `good ${String(at).padStart(2, '0')}`);
  const problemsOf = ({ problems }: DefectNode) => problems.map(({ doing, name }) => `${doing} ${name}`);

  /** Stores triggers. The bad trigger is the first, the middle or the last one that is due. */
  const schedule = (place: 'first' | 'middle' | 'last', misfireInstruction?: 'FIRE_NOW') => {
    const priority = { first: 9, middle: 5, last: 1 }[place];
    const fields = misfireInstruction === undefined ? {} : { misfireInstruction };
    return cluster.a.schedule(
      job('job', { durable: true }),
      ...good.map((name, at) => everyMinute(name, { priority: at < COUNT / 2 ? 6 : 4 })),
      everyMinute('bad', { priority, ...fields }),
    );
  };

  /** Calls `ask` until it returns nothing, as a trigger loop does. Returns all names in order. */
  const untilNothing = async (ask: () => Promise<readonly string[]>) => {
    const all: string[] = [];
    for (let turn = 0; turn < 2 * COUNT; turn++) {
      const names = await ask();
      if (names.length === 0) return all;
      all.push(...names);
    }
    throw new Error('Expected an end of what is found.');
  };

  // Both servers handle the position in the batch in the same way, so the short form tries all positions on one of them.
  const places =
    IS_LONG || flavourOfTests() !== 'mariadb' ? (['first', 'middle', 'last'] as const) : (['middle'] as const);

  describe.each(places)('as the %s of its batch', (place) => {
    it('does not stop other triggers from firing at once, and stays due', async () => {
      const { a, b } = cluster;
      await schedule(place);
      await refuse('firing');
      const fired = await untilNothing(async () => namesOf(await a.fireDue()));
      expect([...fired].sort()).toEqual(good);
      expect(problemsOf(a)).toEqual(['firing DEFAULT/bad']);
      expect([await b.state('bad'), await b.firedRows()]).toEqual(['WAITING', COUNT]);
      const failures = a.steps.failures.length;
      expect(await a.fireDue()).toEqual([]);
      expect(a.steps.failures).toHaveLength(failures);
      await relent();
      a.patience.advanceBy(MINUTE_ASIDE);
      expect(namesOf(await a.fireDue())).toEqual(['bad']);
    });

    it('does not stop the reservation of other triggers, and may be reserved by another node', async () => {
      const { a, b } = cluster;
      await schedule(place);
      await refuse('reservation');
      const reserved = await untilNothing(async () => namesOf(await a.acquire()));
      expect([...reserved].sort()).toEqual(good);
      expect(problemsOf(a)).toEqual(['firing DEFAULT/bad']);
      await relent();
      expect(namesOf(await a.acquire())).toEqual([]);
      expect(namesOf(await b.acquire())).toEqual(['bad']);
    });

    it('does not stop other reserved triggers from firing, and is released', async () => {
      const { a, b } = cluster;
      await schedule(place);
      const reserved = await a.acquire();
      await refuse('firing');
      const results = await a.fire(...reserved);
      expect(
        results.map((result) => (result.status === 'fired' ? result.firing : result.acquired).trigger.key),
      ).toEqual(reserved.map(({ trigger }) => trigger.key));
      const firings = results.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
      expect([...namesOf(firings)].sort()).toEqual(good);
      expect(results.find(({ status }) => status === 'notFired')).toMatchObject({ reason: 'failed' });
      expect(problemsOf(a)).toEqual(['firing DEFAULT/bad']);
      expect([await b.state('bad'), await b.firedRows(), await a.acquire()]).toEqual(['WAITING', COUNT, []]);
      await relent();
      expect(namesOf(await b.fireDue())).toEqual(['bad']);
    });

    it('does not stop the release of other triggers, and is released when the database accepts it', async () => {
      const { a, b } = cluster;
      await schedule(place);
      const reserved = await a.acquire();
      await refuse('release');
      await a.store.releaseTriggers(reserved);
      expect(problemsOf(a)).toEqual(['releasing DEFAULT/bad']);
      expect(await b.state('bad')).toBe('ACQUIRED');
      expect([...namesOf(await b.fireDue())].sort()).toEqual(good);
      await relent();
      await a.acquire();
      expect(await b.state('bad')).toBe('ACQUIRED');
      a.patience.advanceBy(MINUTE_ASIDE);
      expect(namesOf(await a.fireDue())).toEqual(['bad']);
    });

    it.each([
      false,
      true,
    ])('does not stop other runs from completing, each once (under the lock: %p)', async (underLock) => {
      const { a, b } = cluster;
      await schedule(place);
      const firings = await a.fireDue();
      const ended = firings.map((firing) => {
        const instruction = underLock && firing.trigger.key.name === 'good 03' ? 'SET_TRIGGER_ERROR' : 'NOOP';
        return { firing, instruction } as const;
      });
      await refuse('completion');
      const outcomes = await a.store.completeTriggers(ended);
      expect(outcomes.map(({ status }) => status)).toEqual(
        namesOf(firings).map((name) => (name === 'bad' ? 'failed' : 'completed')),
      );
      expect(problemsOf(a)).toEqual(['completing DEFAULT/bad']);
      expect([await b.firedRows(), await b.state('good 03')]).toEqual([1, underLock ? 'ERROR' : 'WAITING']);
      await relent();
      const again = ended.filter(({ firing }) => firing.trigger.key.name === 'bad');
      expect(await a.store.completeTriggers(again)).toMatchObject([{ status: 'completed' }]);
      expect(await b.firedRows()).toBe(0);
    });

    it('does not stop the recovery of other misfires, each once', async () => {
      const { a, b } = cluster;
      await schedule(place);
      await refuse('firing');
      a.now = NOW + HOUR;
      b.now = a.now;
      const misfired: string[] = [];
      for (let more = true, turn = 0; more && turn < COUNT; turn++) {
        const sweep = await a.recoverMisfires(5);
        misfired.push(...namesOf(sweep.misfired.map((trigger) => ({ trigger }))));
        more = sweep.more;
      }
      expect([...misfired].sort()).toEqual(good);
      expect(problemsOf(a)).toEqual(['recovering the misfire of DEFAULT/bad']);
      await relent();
      expect(namesOf((await b.recoverMisfires(5)).misfired.map((trigger) => ({ trigger })))).toEqual(['bad']);
    });
  });

  it('delays only the completion of its own job if the job is non-concurrent', async () => {
    const { a, b } = cluster;
    await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('bad'), everyMinute('sibling'));
    await a.schedule(job('other', { disallowConcurrentExecution: true }), everyMinute('good'));
    const firings = await a.fireDue();
    const ended = firings.map((firing) => ({ firing, instruction: 'NOOP' as const }));
    await refuse('completion');
    const outcomes = await a.store.completeTriggers(ended);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['completed', 'failed']);
    b.now = NOW + MINUTE;
    expect(namesOf(await b.fireDue())).toEqual(['good']);
    await relent();
    await a.store.completeTriggers(ended.filter((_, index) => outcomes[index]?.status === 'failed'));
    expect(await b.fireDue()).toHaveLength(1);
  });

  it('makes an acquisition fail without any change if every row is refused', async () => {
    const { a, b } = cluster;
    await a.scheduleAll(...good.map((name) => once(name)));
    await refuse('everything');
    await expect(a.acquire()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(problemsOf(a)).toHaveLength(10);
    await relent();
    expect([await b.firedRows(), (await b.acquire()).length]).toEqual([0, COUNT]);
  });

  it('does not affect triggers that have fired before the connection is lost; the others fire later', async () => {
    const { a, b } = cluster;
    await schedule('last');
    const reserved = await a.acquire();
    await refuse('firing');
    a.steps.at('commit', () => a.steps.loseConnections(10)); // five attempts to fire, five to release
    const results = await a.fire(...reserved);
    const firings = results.flatMap((result) => (result.status === 'fired' ? [expectFired(result)] : []));
    expect(firings.length).toBeGreaterThan(0);
    expect(firings.length).toBeLessThan(COUNT);
    expect(await b.firedRows()).toBe(COUNT + 1);
    await relent();
    const later = await a.fireDue();
    expect([...namesOf([...firings, ...later])].sort()).toEqual([...good, 'bad'].sort());
  });
});
