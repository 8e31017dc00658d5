import fc from 'fast-check';
import type { TriggerFiring } from '../../src/domain/firing';
import { GroupMatcher, jobKey, keyText } from '../../src/domain/keys';
import { job, MISFIRE_THRESHOLD } from '../conformance/samples';
import { storing } from '../conformance/store-driver';
import { inconsistencies } from '../support/memory-consistency';
import {
  acquiring,
  advancing,
  anyLife,
  aTrigger,
  completing,
  firing,
  lifeOf,
  live,
  registering,
  World,
} from '../support/store-life';

const runs = (numRuns: number) => ({
  numRuns,
  ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }),
});

describe('a store in a random scenario', () => {
  it('keeps its indexes consistent with its data', async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (steps) => {
        const world = await World.open();
        for (const step of steps) {
          await step.run(world);
          expect(inconsistencies(world.tables, world.driver.now, MISFIRE_THRESHOLD)).toEqual([]);
        }
        // The executing firings are exactly those that have not been completed.
        const executing = [...world.tables.executions.keys()].sort();
        expect(executing).toEqual(world.firings.map(({ runId }) => runId).sort());
      }),
      runs(250),
    );
  });

  it('never runs a non-concurrent job twice at the same time', async () => {
    const isSameJob = (a: TriggerFiring, b: TriggerFiring) => keyText(a.jobDetail.key) === keyText(b.jobDetail.key);
    await fc.assert(
      fc.asyncProperty(anyLife, async (steps) => {
        const world = await World.open();
        for (const step of steps) {
          const before = [...world.firings];
          await step.run(world);
          const begun = world.firings.filter((each) => !before.includes(each));
          const running = before.filter((each) => world.firings.includes(each));
          for (const each of begun.filter(({ jobDetail }) => jobDetail.disallowConcurrentExecution)) {
            expect([...running, ...begun].filter((other) => isSameJob(each, other))).toEqual([each]);
          }
        }
      }),
      runs(250),
    );
  });

  it('never fires a trigger twice for the same time, even if it is stored again', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: registering },
      { weight: 3, arbitrary: acquiring },
      { weight: 2, arbitrary: firing },
      // A trigger that is deleted and stored again is a new one and may fire for the same times.
      { weight: 2, arbitrary: completing('NOOP', 'SET_TRIGGER_COMPLETE', 'SET_TRIGGER_ERROR') },
      { weight: 2, arbitrary: advancing(0, 2) },
    );
    await fc.assert(
      fc.asyncProperty(lifeOf(step), async (steps) => {
        const { fired } = await live(steps);
        expect(fired).toEqual([...new Set(fired)]);
      }),
      runs(250),
    );
  });

  it('keeps all schedules through a pause and a resume', async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (steps) => {
        const { driver, acquired, firings } = await live(steps);
        await driver.store.resumeTriggers(GroupMatcher.anyGroup(), driver.options);
        // Acquired triggers would lose their acquisition, and misfired ones would be moved by their misfire policies.
        await driver.store.releaseTriggers(acquired);
        for (const each of firings) await driver.complete(each);
        while ((await driver.recoverMisfires()).more);
        const before = await driver.everything();
        await driver.store.pauseTriggers(GroupMatcher.anyGroup());
        await driver.store.resumeTriggers(GroupMatcher.anyGroup(), driver.options);
        expect(await driver.everything()).toEqual(before);
      }),
      runs(250),
    );
  });

  it('fires due triggers in the order of time, priority and key', async () => {
    const selector = ({ key }: { key: { group: string; name: string } }) => `${key.group}.${key.name}`;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(aTrigger, { minLength: 1, maxLength: 12, selector }), async (triggers) => {
        const { driver } = new World();
        const own = triggers.map((trigger) => storing({ ...trigger, jobKey: jobKey('job'), calendarName: null }));
        await driver.schedule(job());
        await driver.apply(...own);
        const order: string[] = [];
        for (let turn = 0; turn < triggers.length; turn++) {
          for (const each of await driver.fireDue({ maxCount: 1, misfireThreshold: Number.MAX_SAFE_INTEGER })) {
            const { priority, key } = each.trigger;
            order.push(`${each.scheduledFireTime} ${9 - priority} ${key.group} ${key.name}`);
          }
        }
        expect(order).toEqual([...order].sort());
      }),
      runs(100),
    );
  });
});
