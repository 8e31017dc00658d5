import { triggerKey } from '../../../src/domain/keys';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { job, once } from '../samples';

/** Unusual names. Every store must distinguish them and return them unchanged. */
export function describeKeys({ driver, capabilities }: StoreContext): void {
  describe('keys', () => {
    const names = [
      '任务',
      'ä',
      'a\u0308',
      '😀',
      "o'clock",
      '"',
      '\\',
      '%',
      '_',
      'x'.repeat(190),
      '任'.repeat(190),
      '__proto__',
    ];
    const near = capabilities.exactKeys ? ['a', 'A', 'a ', ' a', 'á', 'ß', 'ss'] : [];

    it('distinguish all names', async () => {
      const all = [...names, ...near];
      await driver().scheduleAll(...all.map((name) => once(name)));
      const page = await allTriggers(driver().store);
      expect(page.items.map(({ trigger }) => trigger.key.name)).toEqual([...all].sort());

      await driver().schedule(job('groups'), ...all.map((group) => once('x', { key: triggerKey('x', group) })));
      expect(await driver().store.getTriggerGroupNames()).toEqual([...all, 'DEFAULT'].sort());
      for (const name of all) expect((await driver().trigger(name)).key).toEqual(triggerKey(name));
      await driver().store.pauseTriggers([triggerKey(all[0] as string)]);
      const states = await allTriggers(driver().store, { states: ['PAUSED'] });
      expect(states.items.map(({ trigger }) => trigger.key.name)).toEqual([all[0]]);
    });

    it('distinguish groups and names that are equal only when they are joined', async () => {
      const keys = [triggerKey('c', 'a.b'), triggerKey('b.c', 'a'), triggerKey('a', 'b'), triggerKey('b', 'a')];
      await driver().scheduleAll(...keys.map((key) => once('x', { key })));
      const found = await driver().store.getTriggers(keys);
      expect(found.map(({ trigger }) => trigger.key)).toEqual(keys);
    });
  });
}
