import { refuse } from '../../../src/domain/admission';
import type { TriggerFiring } from '../../../src/domain/firing';
import { occurrenceOf } from '../../../src/domain/occurrence';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once } from '../samples';

/** Occurrences that start after a random delay. */
export function describeJitter({ driver }: StoreContext): void {
  describe('jitter', () => {
    it('stores a deferred run of the same occurrence, and does not change the schedule', async () => {
      await driver().scheduleAll(everyMinute('a', { policy: { jitter: HOUR }, data: { to: 'ops' } }));
      const firing = await driver().fireOne();
      const refusal = refuse(firing);
      expect(refusal).toMatchObject({ status: 'defer', reason: 'jitter' });
      if (refusal?.status !== 'defer') return;
      const until = refusal.until as number;
      expect(until).toBeGreaterThan(NOW);
      expect(until).toBeLessThanOrEqual(NOW + HOUR);
      await driver().complete(firing, 'NOOP', { further: refusal.further });
      expect((await driver().trigger('a')).nextFireTime).toBe(NOW + MINUTE);
      const said = { reason: null, by: null, since: NOW, until: null, holdsRetries: false };
      await driver().store.pauseTriggers([firing.trigger.key], said);
      driver().now = until - 1;
      expect(await driver().fireDue()).toEqual([]);
      driver().now = until;
      const again = await driver().fireOne();
      expect(refuse(again)).toBeNull();
      expect(occurrenceOf(again)).toMatchObject({ triggerKey: firing.trigger.key, scheduledTime: NOW, attempt: 1 });
      expect(again.trigger.data).toMatchObject({ to: 'ops' });
    });

    it('counts for no limit before the deferred time, when all policies apply', async () => {
      const policy = { overlap: 'skip', concurrency: { key: 'mail', limit: 1 } } as const;
      await driver().schedule(job('job', { policy }), once('a', { policy: { jitter: HOUR } }), once('b'));
      const firings = await driver().fireDue();
      const [a, b] = ['a', 'b'].map(
        (name) => firings.find(({ trigger }) => trigger.key.name === name) as TriggerFiring,
      );
      expect(a?.holds).toBeUndefined();
      expect(refuse(b as TriggerFiring)).toBeNull();
      const refusal = refuse(a as TriggerFiring);
      if (refusal?.status !== 'defer') throw new Error('Expected that the firing is put off.');
      await driver().complete(a as TriggerFiring, 'DELETE_TRIGGER', { further: refusal.further });
      driver().now += HOUR;
      expect(refuse(await driver().fireOne())).toMatchObject({ status: 'skip', reason: 'overlap' });
    });
  });
}
