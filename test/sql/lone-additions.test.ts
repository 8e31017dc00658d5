import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { Scheduler } from '../../src';
import { createDatabase, describeOnFlavour, sharedServer, type TestDatabase } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';
import { freshDist } from '../support/fresh-dist';

/** The built package, because the thread of its store is a file of dist/. */
const quartz = require(join(freshDist(), 'index.js')) as typeof import('../../src');

describeOnFlavour('mariadb', 'a program that adds one job after another', () => {
  let database: TestDatabase;
  let scheduler: Scheduler;
  let count = 0;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    const config = { database: database.url, scheduler: { instanceName: 'lone' } };
    scheduler = await quartz.createScheduler(config, { logger: pino({ level: 'silent' }) });
    scheduler.registerJob('noop', () => undefined);
  });
  afterAll(async () => {
    await database.drop();
  });

  const add = async (group: string) => {
    const name = `n${count++}`;
    const job = quartz.newJob('noop').withIdentity(name, group).build();
    await scheduler.scheduleJob(job, quartz.newTrigger().withIdentity(name, group).build());
    return { name, group };
  };
  const addInRow = async (group: string, times: number) => {
    for (let at = 0; at < times; at++) await add(group);
  };
  const tokens = () => database.query("SELECT META_KEY FROM QRTZ_X_META WHERE META_KEY LIKE 'commit.%'");
  const states = (group: string) =>
    database.query(
      `SELECT TRIGGER_STATE AS state, COUNT(*) AS count FROM QRTZ_TRIGGERS WHERE TRIGGER_GROUP = '${group}' GROUP BY TRIGGER_STATE`,
    );

  it('stores them from its own thread after the first few, with a commit token for each thread', async () => {
    for (let round = 0; (await tokens()).length < 2 && round < 50; round++) await addInRow('a', 40);
    expect(await tokens()).toHaveLength(2);
    expect(await states('a')).toEqual([{ state: 'WAITING', count }]);
  });

  it('detects a paused group and a stored key between additions', async () => {
    await addInRow('b', 60);
    await scheduler.pauseTriggers(quartz.GroupMatcher.groupEquals('b'));
    await addInRow('b', 60);
    expect(await states('b')).toEqual([{ state: 'PAUSED', count: 120 }]);
    const { name, group } = await add('c');
    await addInRow('c', 60);
    const again = quartz.newJob('noop').withIdentity(name, group).build();
    await expect(scheduler.scheduleJob(again, quartz.newTrigger().withIdentity('other', 'c').build())).rejects.toThrow(
      'already exists',
    );
    expect(await states('c')).toEqual([{ state: 'WAITING', count: 61 }]);
  });

  it('adds triggers of a stored job, also after the job was changed', async () => {
    const stored = (description: string) =>
      quartz.newJob('noop').withIdentity('one', 'd').withDescription(description).storeDurably().build();
    const trigger = () =>
      quartz.newTrigger().withIdentity(`t${count++}`, 'd').forJob({ name: 'one', group: 'd' }).build();
    await scheduler.addJob(stored('first'));
    for (let at = 0; at < 60; at++) await scheduler.scheduleJob(trigger());
    await scheduler.addJob(stored('second'), { replace: true });
    for (let at = 0; at < 60; at++) await scheduler.scheduleJob(trigger());
    expect(await states('d')).toEqual([{ state: 'WAITING', count: 120 }]);
  });

  it('drops a silent connection after the configured check-in time', async () => {
    const proxy = await FaultProxy.before(database.url);
    const config = {
      database: proxy.url,
      scheduler: { instanceName: 'slow' },
      jobStore: { clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 },
    };
    const slow = await quartz.createScheduler(config, {
      jobs: { noop: () => undefined },
      logger: pino({ level: 'silent' }),
    });
    const addSlowly = async () => {
      const name = `s${count++}`;
      await slow.scheduleJob(
        quartz.newJob('noop').withIdentity(name).build(),
        quartz.newTrigger().withIdentity(name).build(),
      );
    };
    const ownTokens = async () => (await tokens()).length;
    const others = await ownTokens();
    while ((await ownTokens()) < others + 2) for (let at = 0; at < 40; at++) await addSlowly();
    const forgotten = proxy.forgetSender('commit.', 'requests');
    const start = performance.now();
    await addSlowly();
    await forgotten;
    expect(performance.now() - start).toBeLessThan(4_500); // by default, 5 s
    await slow.shutdown();
    await proxy.close();
  });

  it('exits when it has no more work, although its connection is open', async () => {
    const program = `
      const { createScheduler, newJob, newTrigger } = require(${JSON.stringify(join(freshDist(), 'index.js'))});
      createScheduler({ database: '${database.url}', scheduler: { instanceName: 'ends' } }, { jobs: { noop() {} } }).then(async (scheduler) => {
        for (let at = 0; at < 200; at++)
          await scheduler.scheduleJob(newJob('noop').withIdentity('e' + at).build(), newTrigger().withIdentity('e' + at).build());
        console.log('stored');
      });`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { timeout: 20_000 });
    expect(stdout).toContain('stored');
  });

  it('leaves no commit token after the shutdown', async () => {
    await scheduler.shutdown();
    const left = await database.query(
      "SELECT META_KEY FROM QRTZ_X_META WHERE META_KEY LIKE 'commit.%' AND SCHED_NAME = 'lone'",
    );
    expect(left).toEqual([]);
  });
});
