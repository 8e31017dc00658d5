import type { Scheduler } from '../../src/api/scheduler';
import { fromTrigger } from '../../src/api/trigger';
import type { SchedulerEventOf } from '../../src/domain/scheduler-event';
import { controlOf, type SchedulerControl } from '../../src/scheduler/control';
import { describeOnEngines } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

/*
 * A person edits a declared trigger, and nodes restart. Each node declares its set again, with the same declaration or with one of a new version of
 * the program.
 */

const ANN = { by: 'ann', via: 'console' } as const;
const MORNING = '0 0 6 * * ?';
const EDITED = '0 30 7 * * ?';
const LATER = '0 0 8 * * ?';

describeOnEngines((newTables) => {
  let tables: Tables;
  let local: LocalSchedulers;

  beforeAll(async () => {
    tables = await newTables();
  });
  beforeEach(() => {
    local = new LocalSchedulers(tables);
  });
  afterEach(async () => {
    const { scheduler } = await local.create('last');
    await scheduler.clear();
    await local.shutdown();
  });
  afterAll(() => tables.drop());

  /** Starts a node as a program does: it declares its set, and then starts. */
  async function startNode(instanceId: string, cron: string, priority = 5): Promise<Local> {
    const node = await local.create(instanceId, { jobs: { report: () => {} } });
    await node.scheduler.declare({ report: { cron, priority, timeZone: 'UTC' } }, { set: 'app' });
    await node.scheduler.start();
    return node;
  }

  const control = ({ scheduler }: Local) => controlOf(scheduler) as SchedulerControl;
  const triggerOf = async (scheduler: Scheduler) => {
    const trigger = await scheduler.getTrigger('report');
    if (trigger?.kind !== 'CRON') throw new Error('The trigger of the set is not stored.');
    return trigger;
  };
  const cronOf = async ({ scheduler }: Local) => (await triggerOf(scheduler)).cronExpression;

  async function edit(node: Local): Promise<void> {
    const edited = { ...(await triggerOf(node.scheduler)), cronExpression: EDITED };
    const trigger = fromTrigger(edited, { startTime: 0, timeZone: 'UTC' });
    await control(node).apply([{ type: 'storeTrigger', trigger, ifExists: 'replace', startTimeDefaulted: true }], ANN);
  }

  const conflictsOf = ({ events }: Local) =>
    events.filter((event): event is SchedulerEventOf<'overrideConflict'> => event.type === 'overrideConflict');

  it('an override stays when nodes restart', async () => {
    const first = await startNode('n1', MORNING);
    await startNode('n2', MORNING);
    await edit(first);
    await local.shutdown();
    const again = await Promise.all(['n1', 'n2', 'n3'].map((id) => startNode(id, MORNING)));
    for (const node of again) {
      expect(await cronOf(node)).toBe(EDITED);
      expect(conflictsOf(node)).toEqual([]);
    }
    const overrides = await control(again[0] as Local).pageOverrides({ after: null, take: 10 });
    expect(overrides).toMatchObject([
      {
        target: { what: 'trigger', name: 'report' },
        override: {
          fields: { schedule: { by: 'ann', via: 'console' } },
          declared: { trigger: { cronExpression: MORNING } },
        },
      },
    ]);
  });

  it('the first node with a changed declaration reports the conflict once, and the override stays', async () => {
    const old = await startNode('n1', MORNING);
    await edit(old);
    const deployed = await startNode('n2', LATER);
    expect(conflictsOf(deployed)).toMatchObject([{ what: 'trigger', name: 'report', fields: ['schedule'] }]);
    expect(await cronOf(deployed)).toBe(EDITED);
    const next = await startNode('n3', LATER);
    expect(conflictsOf(next)).toEqual([]);
    expect(await cronOf(next)).toBe(EDITED);
  });

  it('other fields follow the code, and dropping an override restores the last declaration', async () => {
    const old = await startNode('n1', MORNING);
    await edit(old);
    const deployed = await startNode('n2', LATER, 9);
    expect(await triggerOf(deployed.scheduler)).toMatchObject({ cronExpression: EDITED, priority: 9 });
    await control(deployed).dropOverride({ what: 'trigger', group: 'DEFAULT', name: 'report' }, ANN);
    expect(await triggerOf(old.scheduler)).toMatchObject({ cronExpression: LATER, priority: 9 });
    await local.shutdown();
    expect(await cronOf(await startNode('n1', LATER, 9))).toBe(LATER);
  });

  it('a trigger that a person has deleted stays deleted when nodes restart', async () => {
    const first = await startNode('n1', MORNING);
    const key = { group: 'DEFAULT', name: 'report' };
    await control(first).apply([{ type: 'deleteTrigger', key }], ANN);
    await local.shutdown();
    const again = await startNode('n1', MORNING);
    expect(await again.scheduler.getTrigger('report')).toBeNull();
    await control(again).dropOverride({ what: 'trigger', ...key }, ANN);
    expect(await cronOf(again)).toBe(MORNING);
  });
});
