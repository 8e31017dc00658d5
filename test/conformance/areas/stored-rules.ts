import type { StoreContext } from '../describe-job-store';

/** The rules for fire times, on which all nodes of a scheduler agree. */
export function describeStoredRules({ driver }: StoreContext): void {
  describe('the stored rules', () => {
    it('are those of the first node, whatever later ones have', async () => {
      const { store } = driver();
      expect(await store.readRules()).toBeNull();
      expect(await store.ensureRules('quartz')).toBe('quartz');
      expect(await store.ensureRules('safe')).toBe('quartz');
      expect(await store.readRules()).toBe('quartz');
    });

    it('are one value, also if several nodes are the first at once', async () => {
      const { store } = driver();
      const settled = await Promise.all(
        (['safe', 'quartz', 'safe', 'quartz'] as const).map((rules) => store.ensureRules(rules)),
      );
      expect(new Set([...settled, await store.readRules()]).size).toBe(1);
    });

    it('are replaced, also before a node has stored any, and stay when the whole schedule is cleared', async () => {
      const { store } = driver();
      expect(await store.setRules('quartz')).toEqual([]);
      expect(await store.ensureRules('safe')).toBe('quartz');
      expect(await store.setRules('safe')).toEqual([]);
      await driver().apply({ type: 'clear' });
      expect(await store.ensureRules('quartz')).toBe('safe');
    });
  });
}
