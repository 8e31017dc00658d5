import { everyMinute, MINUTE, NOW } from '../../conformance/samples';
import { namesOf } from '../../conformance/store-driver';
import { describeOnBothServers } from './support/defect-cluster';

/** A forgotten transaction in somebody's client must cost only the trigger whose row it holds. */
describeOnBothServers('a row that another session of the database holds', (cluster) => {
  const GOOD = ['a', 'b', 'd', 'e'];
  const SECONDS = 4;

  /** Holds the row of trigger c, for so long; on SQLite there is nothing to hold. Resolves when it does. */
  const hold = async (schedName: string) => {
    const { server } = cluster;
    if (server === null) return { released: Promise.resolve() };
    const text = `SELECT SLEEP(${SECONDS}) FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${schedName}' AND TRIGGER_NAME = 'c' FOR UPDATE`;
    const released = server.query(text);
    const isHolding = "INFO LIKE 'SELECT SLEEP%' AND STATE = 'User sleep'";
    while ((await server.query(`SELECT 1 FROM information_schema.PROCESSLIST WHERE ${isHolding}`)).length === 0);
    return { released };
  };

  const schedule = async () => {
    const { a } = cluster;
    await a.scheduleAll(...['a', 'b', 'c', 'd', 'e'].map((name) => everyMinute(name)));
    return { a, expected: cluster.server === null ? [...GOOD, 'c'].sort() : GOOD };
  };

  it('is passed over and told of when its trigger is due; the others fire, and it does as soon as it can', async () => {
    const { a, expected } = await schedule();
    const { released } = await hold(a.node.schedName);
    expect([...namesOf(await a.fireDue())].sort()).toEqual(expected);
    a.now = NOW + MINUTE;
    const start = performance.now();
    expect([...namesOf(await a.fireDue())].sort()).toEqual(expected);
    expect(performance.now() - start).toBeLessThan(900); // nobody waits a second time, which takes one
    const told = a.problems.map(({ name, error }) => `${name} ${error.name}`);
    expect(new Set(told)).toEqual(new Set(cluster.server === null ? [] : ['DEFAULT/c LockedByOthers']));
    await released;
    expect(namesOf(await a.fireDue())).toEqual(cluster.server === null ? [] : ['c']);
  });

  it('is left reserved when it was reserved before, and fires later; the others fire at once', async () => {
    const { a, expected } = await schedule();
    const reserved = await a.acquire();
    const { released } = await hold(a.node.schedName);
    const results = await a.fire(...reserved);
    const fired = results.flatMap((result) => (result.status === 'fired' ? [result.firing.trigger.key.name] : []));
    expect([...fired].sort()).toEqual(expected);
    await released;
    expect(namesOf(await a.fireDue())).toEqual(cluster.server === null ? [] : ['c']);
  });
});
