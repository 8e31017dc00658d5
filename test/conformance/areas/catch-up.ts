import { catchUpGroup } from '../../../src/domain/catch-up';
import { checkCatchUp } from '../../../src/domain/catch-up-policy';
import { GroupMatcher, triggerKey } from '../../../src/domain/keys';
import { occurrenceOf, occurrenceOfTrigger } from '../../../src/domain/occurrence';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once, SECOND, without } from '../samples';
import { storingCalendar } from '../store-driver';

const GROUP = catchUpGroup(triggerKey('trigger'));
const catching = (options: object) => ({
  policy: { catchUp: checkCatchUp(options, 'a test'), history: 'all' } as const,
});
/** Time of the sweep. Every fire time since the first one has been missed. */
const LATER = NOW + 10 * MINUTE + SECOND;

/** Runs for fire times that triggers missed. */
export function describeCatchUp({ driver }: StoreContext): void {
  const caughtUp = async () => {
    const { items } = await allTriggers(driver().store, { group: GroupMatcher.groupStartsWith('BACKFILL_') });
    return items.map(({ trigger, state }) => ({
      minute: (occurrenceOfTrigger(trigger).scheduledTime - NOW) / MINUTE,
      inSeconds: ((trigger.nextFireTime ?? 0) - driver().now) / SECOND,
      state,
    }));
  };
  const at = (minute: number, inSeconds = 0, state = 'WAITING') => ({ minute, inSeconds, state });

  describe('a catch-up', () => {
    it('keeps its fired run when its waiting runs are deleted', async () => {
      await driver().scheduleAll(everyMinute('trigger', catching({ max: 3, window: '1h', pace: '30s' })));
      driver().now = LATER;
      await driver().recoverMisfires();
      const first = await driver().fireOne();
      const dropped = await driver().applyOne({
        type: 'deleteTriggersInGroup',
        group: GroupMatcher.groupEquals(GROUP),
        exceptGroups: [],
        unfired: true,
      });
      expect(dropped.deletedTriggers).toHaveLength(2);
      expect(await driver().complete(first, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: true });
      expect(await caughtUp()).toEqual([]);
    });

    it('runs the newest missed times separately, while the trigger continues with its next time', async () => {
      const options = { max: 3, window: '1h', pace: '30s' };
      await driver().scheduleAll(everyMinute('trigger', { ...catching(options), data: { a: 1 }, priority: 8 }));
      driver().now = LATER;
      driver().announced = [];
      const sweep = await driver().recoverMisfires();
      expect(sweep).toMatchObject({ misfired: [{ key: triggerKey('trigger') }], earliestNextFireTime: LATER });
      expect(await caughtUp()).toEqual([at(8), at(9, 30), at(10, 60)]);
      expect((await driver().trigger()).nextFireTime).toBe(NOW + 11 * MINUTE);
      const first = await driver().fireOne();
      expect(first.trigger).toMatchObject({ key: { group: GROUP }, data: { a: 1 }, priority: 8 });
      expect(occurrenceOf(first)).toEqual({
        id: first.runId,
        triggerKey: triggerKey('trigger'),
        scheduledTime: NOW + 8 * MINUTE,
        attempt: 1,
      });
      expect(await driver().complete(first, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: true });
      expect((await driver().store.listRuns({ take: 10 })).items).toMatchObject([
        { outcome: 'misfired', scheduledTime: NOW },
      ]);
    });

    it('leaves out times before its window, and records no misfire if it covers all missed times', async () => {
      await driver().schedule(job('a'), everyMinute('trigger', catching({ window: '150s' })));
      driver().now = LATER;
      await driver().recoverMisfires();
      expect(await caughtUp()).toEqual([at(8), at(9), at(10)]);
      await driver().store.pruneRuns({ before: LATER + 1, maxCount: 10 });
      await driver().schedule(job('b'), once('once', { ...catching({}), startTime: LATER, nextFireTime: LATER }));
      driver().now = LATER + HOUR;
      await driver().store.pauseTriggers([triggerKey('trigger')]);
      await driver().recoverMisfires();
      expect(await driver().state('once')).toBeNull();
      expect(await caughtUp()).toHaveLength(4);
      expect((await driver().store.listRuns({ take: 10 })).items).toEqual([]);
    });

    it.each([
      { policy: catching({}).policy, runs: [at(0)] },
      { policy: { startWithin: SECOND }, runs: [] },
    ])('handles a missed one-shot trigger once, even if its calendar changes afterwards ($policy)', async ({
      policy,
      runs,
    }) => {
      await driver().applyOne(storingCalendar(without()));
      await driver().schedule(job('job', { durable: true }), once('once', { policy, calendarName: 'holidays' }));
      driver().now = LATER;
      await driver().recoverMisfires();
      expect(await caughtUp()).toEqual(runs);
      expect(await driver().fireDue()).toHaveLength(runs.length);
      await driver().applyOne(storingCalendar(without('2026-02-02'), 'replace'));
      await driver().recoverMisfires();
      expect(await driver().fireDue()).toEqual([]);
      expect(await driver().find('once')).toBeNull();
    });

    it('stores each missed time once, however often the sweep runs', async () => {
      await driver().scheduleAll(everyMinute('trigger', catching({ max: 100 })));
      driver().now = LATER;
      await Promise.all([driver().recoverMisfires(), driver().recoverMisfires()]);
      const first = await caughtUp();
      expect(first.map(({ minute }) => minute)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect((await driver().recoverMisfires()).misfired).toEqual([]);
      expect(await caughtUp()).toEqual(first);
      driver().now += 5 * MINUTE;
      await driver().recoverMisfires();
      expect((await caughtUp()).map(({ minute }) => minute)).toEqual([...Array(16).keys()]);
    });

    it.each([
      'trigger',
      'group',
      'job',
    ] as const)('includes the times that were missed while the %s was paused', async (what) => {
      const { store } = driver();
      await driver().scheduleAll(everyMinute('trigger', catching({ max: 2 })));
      if (what === 'job') await store.pauseJobs([job().key]);
      else await store.pauseTriggers(what === 'group' ? GroupMatcher.groupEquals('DEFAULT') : [triggerKey('trigger')]);
      driver().now = LATER;
      expect((await driver().recoverMisfires()).misfired).toEqual([]);
      driver().announced = [];
      if (what === 'job') await store.resumeJobs([job().key], driver().options);
      else if (what === 'group') await store.resumeTriggers(GroupMatcher.groupEquals('DEFAULT'), driver().options);
      else await store.resumeTriggers([triggerKey('trigger')], driver().options);
      expect(await caughtUp()).toEqual([at(9), at(10)]);
      expect(driver().announced).toEqual([LATER]);
      expect(await driver().trigger()).toMatchObject({ nextFireTime: NOW + 11 * MINUTE });
    });

    it('waits while its group is paused', async () => {
      await driver().schedule(
        job('job', { disallowConcurrentExecution: true }),
        everyMinute('trigger', catching({ max: 1 })),
      );
      await driver().store.pauseTriggers(GroupMatcher.groupEquals(GROUP));
      driver().now = LATER;
      await driver().recoverMisfires();
      expect(await caughtUp()).toEqual([at(10, 0, 'PAUSED')]);
    });

    it('stores nothing below the misfire threshold, or for a trigger without catchUp', async () => {
      await driver().scheduleAll(everyMinute('trigger', catching({})));
      await driver().schedule(job('plain'), everyMinute('plain', { misfireInstruction: 'FIRE_NOW' }));
      driver().now = NOW + SECOND;
      await driver().recoverMisfires();
      expect(await caughtUp()).toEqual([]);
      expect((await driver().trigger()).nextFireTime).toBe(NOW);
      driver().now = LATER;
      await driver().store.pauseTriggers([triggerKey('trigger')]);
      await driver().recoverMisfires();
      expect(await caughtUp()).toEqual([]);
      expect((await driver().trigger('plain')).nextFireTime).toBe(LATER);
    });
  });
}
