import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Configuration, SchedulerEvent } from '../../../../src';
import { controlOf } from '../../../../src/scheduler/control';
import { proves } from '../../../support/proves';
import { closeAll, codeOf, deleteFolders, newFile, noop, open } from '../../../support/world/world';

type SchedulerSection = object;

const idOf = async (scheduler: SchedulerSection, env: Readonly<Record<string, string>> = {}) =>
  (await open({ scheduler } as Configuration, { env })).scheduler.getSchedulerInstanceId();

const generated = (instanceIdGenerator: object, env: Readonly<Record<string, string>> = {}) =>
  idOf({ instanceId: 'AUTO', instanceIdGenerator }, env);

/** UTC hour of the first fire time of a cron trigger for six o'clock. */
async function hourOfSix(config: Configuration): Promise<number | undefined> {
  const { scheduler } = await open(config);
  await scheduler.schedule('noop', { cron: '0 0 6 * * ?', startAt: new Date('2027-01-01') });
  return (await scheduler.getTrigger('noop'))?.nextFireTime?.getUTCHours();
}

/** Levels of the messages that a logger without its own level gets while a job fails. */
async function levelsAt(logLevel: string | null): Promise<readonly string[]> {
  const levels = new Set<string>();
  const method = (level: string) => () => void levels.add(level);
  const names = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
  const logger = Object.fromEntries(names.map((level) => [level, method(level)]));
  const world = await open((logLevel === null ? {} : { scheduler: { logLevel } }) as Configuration, {
    logger: logger as never,
    jobs: { broken: () => Promise.reject(new Error('no paper')) },
  });
  world.scheduler.subscribe((event: SchedulerEvent) => {
    if (event.type === 'triggerCompleted') throw new Error('logged as an error');
  });
  await world.scheduler.start();
  await world.scheduler.schedule('broken', { at: new Date(world.clock.now()) });
  await world.until(() => world.heard('triggerCompleted').length > 0);
  await world.soon(world.scheduler.shutdown());
  return [...levels].sort();
}

const EVERYTHING = ['debug', 'error', 'info', 'warn'];

afterEach(closeAll);
afterAll(deleteFolders);

describe('the setting', () => {
  it('database selects a persistent store', async () => {
    proves('configuration', 'database');
    const file = newFile();
    const inMemory = await open({});
    const inDatabase = await open({ database: file });
    expect(inMemory.scheduler.getMetaData().jobStore.persistent).toBe(false);
    expect(inDatabase.scheduler.getMetaData().jobStore.persistent).toBe(true);
    expect(existsSync(file)).toBe(true);
  });

  it('scheduler.instanceName sets the scheduler name', async () => {
    proves('configuration', 'scheduler.instanceName');
    expect((await open({})).scheduler.getSchedulerName()).toBe('QuartzScheduler');
    expect((await open({ scheduler: { instanceName: 'reports' } })).scheduler.getSchedulerName()).toBe('reports');
  });

  it('scheduler.instanceId sets the node id or how it is generated', async () => {
    proves('configuration', 'scheduler.instanceId');
    expect(await idOf({})).toBe('NON_CLUSTERED');
    expect(await idOf({ instanceId: 'node-7' })).toBe('node-7');
    expect(await idOf({ instanceId: 'AUTO' })).toContain(hostname());
    expect(await idOf({ instanceId: 'SYS_PROP' }, { ORG_QUARTZ_SCHEDULER_INSTANCEID: 'pod-1' })).toBe('pod-1');
    expect((await open({ database: newFile() })).scheduler.getSchedulerInstanceId()).toContain(hostname());
  });

  it('scheduler.instanceIdGenerator.class selects how AUTO ids are generated', async () => {
    proves('configuration', 'scheduler.instanceIdGenerator.class');
    const [first, second] = [await generated({ class: 'simple' }), await generated({ class: 'simple' })];
    expect(first).toContain(hostname());
    expect(second).not.toBe(first);
    expect(await generated({ class: 'hostname' })).toBe(hostname());
    expect(await generated({ class: 'environment' }, { ORG_QUARTZ_SCHEDULER_INSTANCEID: 'pod-2' })).toBe('pod-2');
  });

  it('scheduler.instanceIdGenerator.systemPropertyName names the environment variable of the id', async () => {
    proves('configuration', 'scheduler.instanceIdGenerator.systemPropertyName');
    const variables = { POD_NAME: 'pod-3', 'my.id': 'pod-4' };
    expect(await generated({ class: 'environment', systemPropertyName: 'pod.name' }, variables)).toBe('pod-3');
    expect(await generated({ class: 'environment', systemPropertyName: 'my.id' }, variables)).toBe('pod-4');
  });

  it('scheduler.instanceIdGenerator.prepend adds a prefix to generated ids', async () => {
    proves('configuration', 'scheduler.instanceIdGenerator.prepend');
    const generator = { class: 'environment', systemPropertyName: 'POD', prepend: 'a-' };
    expect(await generated(generator, { POD: 'pod' })).toBe('a-pod');
  });

  it('scheduler.instanceIdGenerator.postpend adds a suffix to generated ids', async () => {
    proves('configuration', 'scheduler.instanceIdGenerator.postpend');
    const generator = { class: 'environment', systemPropertyName: 'POD', postpend: '-z' };
    expect(await generated(generator, { POD: 'pod' })).toBe('pod-z');
  });

  it('scheduler.timeZone is the zone of cron triggers without their own', async () => {
    proves('configuration', 'scheduler.timeZone');
    expect(await hourOfSix({ scheduler: { timeZone: 'UTC' } })).toBe(6);
    expect(await hourOfSix({ scheduler: { timeZone: 'Asia/Tokyo' } })).toBe(21);
    expect(await hourOfSix({ scheduler: { timeZone: 'GMT+02:00' } })).toBe(4);
  });

  it('scheduler.onDeclaredEdit decides whether edits of declared triggers are kept, undone or refused', async () => {
    proves('configuration', 'scheduler.onDeclaredEdit');
    const outcomeOf = async (onDeclaredEdit: 'override' | 'codeWins' | 'refuse') => {
      const { scheduler } = await open({ scheduler: { onDeclaredEdit } });
      const declare = () => scheduler.sync({ noop: { cron: '0 0 6 * * ?', job: noop } });
      await declare();
      const key = { name: 'noop', group: 'DEFAULT' };
      const refused = await codeOf(() =>
        controlOf(scheduler)?.apply([{ type: 'deleteTrigger', key }], { by: 'ann', via: 'console' }),
      );
      await declare();
      return refused === 'DECLARED_ELSEWHERE' ? 'refused' : (await scheduler.getTrigger('noop')) === null;
    };
    expect(await outcomeOf('override')).toBe(true);
    expect(await outcomeOf('codeWins')).toBe(false);
    expect(await outcomeOf('refuse')).toBe('refused');
  });

  it('scheduler.programVersion is stored with declared definitions', async () => {
    proves('configuration', 'scheduler.programVersion');
    const { scheduler } = await open({ scheduler: { programVersion: '1.4.2' } });
    await scheduler.sync({ noop: { cron: '0 0 6 * * ?', job: noop } });
    const target = { what: 'trigger', name: 'noop', group: 'DEFAULT' } as const;
    expect(await controlOf(scheduler)?.findDeclarations([target])).toMatchObject([{ owner: { version: '1.4.2' } }]);
  });

  it('scheduler.logLevel sets the lowest level that is logged', async () => {
    proves('configuration', 'scheduler.logLevel');
    expect(await levelsAt('trace')).toEqual(EVERYTHING);
    expect(await levelsAt('debug')).toEqual(EVERYTHING);
    expect(await levelsAt('info')).toEqual(['error', 'info', 'warn']);
    expect(await levelsAt('warn')).toEqual(['error', 'warn']);
    expect(await levelsAt(null)).toEqual(['error', 'warn']);
    expect(await levelsAt('error')).toEqual(['error']);
    expect(await levelsAt('fatal')).toEqual([]);
    expect(await levelsAt('silent')).toEqual([]);
  });

  it('scheduler.jobFactory.class accepts only the built-in factory', async () => {
    proves('configuration', 'scheduler.jobFactory.class');
    const createdWith = (name: string) =>
      codeOf(() => open({ scheduler: { jobFactory: { class: name } } } as Configuration));
    expect(await createdWith('registered')).toBe('no error');
    expect(await createdWith('com.example.MyJobFactory')).toBe('CONFIGURATION');
  });

  it('context.key.<name> adds a text to the scheduler context', async () => {
    proves('configuration', 'context.key.<name>');
    const seen: unknown[] = [];
    const look = async ({ scheduler }: { readonly scheduler: { getContext(): Map<string, unknown> } }) =>
      void seen.push(scheduler.getContext().get('office'));
    for (const office of ['Berlin', 5]) {
      const world = await open({ context: { key: { office } } }, { jobs: { look, noop } });
      await world.scheduler.start();
      await world.scheduler.schedule('look', { at: new Date(world.clock.now()) });
      await world.until(() => world.heard('triggerCompleted').length > 0);
    }
    expect(seen).toEqual(['Berlin', '5']);
  });
});
