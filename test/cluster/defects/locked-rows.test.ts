import { everyMinute, MINUTE, NOW } from '../../conformance/samples';
import { namesOf } from '../../conformance/store-driver';
import { describeOnBothServers } from './support/defect-cluster';

/** A forgotten transaction in a database client must delay only the trigger whose row it locks. */
describeOnBothServers('a trigger row that another database session locks', (cluster) => {
  const GOOD = ['a', 'b', 'd', 'e'];
  const SECONDS = 4;

  /** Locks the row of trigger c for SECONDS. Resolves when it is locked; at once on SQLite, which has no row locks. */
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

  it('is skipped and reported when it is due, while other triggers fire, and fires after its release', async () => {
    const { a, expected } = await schedule();
    const { released } = await hold(a.node.schedName);
    expect([...namesOf(await a.fireDue())].sort()).toEqual(expected);
    a.now = NOW + MINUTE;
    const start = performance.now();
    expect([...namesOf(await a.fireDue())].sort()).toEqual(expected);
    expect(performance.now() - start).toBeLessThan(900); // does not wait for the lock a second time, which would take one second
    const told = a.problems.map(({ name, error }) => `${name} ${error.name}`);
    expect(new Set(told)).toEqual(new Set(cluster.server === null ? [] : ['DEFAULT/c LockedByOthers']));
    await released;
    expect(namesOf(await a.fireDue())).toEqual(cluster.server === null ? [] : ['c']);
  });

  it('stays reserved if it was reserved before, while other triggers fire, and fires later', async () => {
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
