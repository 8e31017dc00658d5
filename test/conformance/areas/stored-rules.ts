import type { StoreContext } from '../describe-job-store';

const SAFE = { rules: 'safe', clockChanges: 'quartz' } as const;
const QUARTZ = { rules: 'quartz', clockChanges: 'quartz' } as const;
const NATURAL = { rules: 'safe', clockChanges: 'natural' } as const;

/** The rules for fire times, on which all nodes of a scheduler agree. */
export function describeStoredRules({ driver }: StoreContext): void {
  describe('the stored rules', () => {
    it('are the rules of the first node, whatever later nodes have configured', async () => {
      const { store } = driver();
      expect(await store.readRules()).toBeNull();
      expect(await store.ensureRules(QUARTZ)).toEqual(QUARTZ);
      expect(await store.ensureRules(SAFE)).toEqual(QUARTZ);
      expect(await store.readRules()).toEqual(QUARTZ);
    });

    it('have one value even if several nodes are first at the same time', async () => {
      const { store } = driver();
      const settled = await Promise.all([SAFE, QUARTZ, NATURAL, SAFE, QUARTZ].map((rules) => store.ensureRules(rules)));
      expect(new Set([...settled, await store.readRules()].map((each) => JSON.stringify(each))).size).toBe(1);
    });

    it('can be replaced before a node has stored any, and are kept when the schedule is cleared', async () => {
      const { store } = driver();
      expect(await store.setRules(QUARTZ)).toEqual([]);
      expect(await store.ensureRules(SAFE)).toEqual(QUARTZ);
      expect(await store.setRules(NATURAL)).toEqual([]);
      await driver().apply({ type: 'clear' });
      expect(await store.ensureRules(QUARTZ)).toEqual(NATURAL);
    });
  });
}
