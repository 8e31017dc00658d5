import type { SchedulerStage } from './stage';

const work = () => {};

/** `H` in cron expressions. */
export function describeSpreadHours(stage: () => SchedulerStage): void {
  describe('H in a cron expression', () => {
    it('is replaced by a value of the key, the same in every store', async () => {
      const scheduler = await stage().create({});
      const stored: unknown[] = [];
      for (const name of ['backup', 'cleanup']) {
        await scheduler.schedule(name, { cron: '0 H * * * ?' }, work);
        stored.push(await scheduler.getTrigger(name));
      }
      expect(stored).toMatchObject([{ cronExpression: '0 45 * * * ?' }, { cronExpression: '0 28 * * * ?' }]);
    });

    it('does not change when the same key is declared again', async () => {
      const scheduler = await stage().create({});
      const declare = () => scheduler.schedule('backup', { cron: '0 H H * * ?' }, work);
      const first = await declare();
      const events: string[] = [];
      scheduler.subscribe(({ type }) => events.push(type));
      expect(await declare()).toEqual(first);
      expect(events).toEqual([]);
    });
  });
}
