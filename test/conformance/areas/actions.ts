import type { ActionQuery, ActionRecord } from '../../../src/domain/action';
import type { StoreContext } from '../describe-job-store';
import { NOW } from '../samples';
import type { StoreDriver } from '../store-driver';

function action(minute: number, more: Partial<ActionRecord> = {}): ActionRecord {
  return {
    time: NOW + minute * 60_000,
    id: `id ${minute}`,
    actor: 'ann',
    role: 'admin',
    via: 'http',
    address: '192.0.2.7',
    operation: 'jobs.delete',
    target: 'DEFAULT/nightly',
    input: '{"name":"nightly"}',
    changes: '{"fields":[]}',
    error: null,
    ...more,
  };
}

/** The log of actions that users request. */
export function describeActions({ driver }: StoreContext): void {
  const record = async (...actions: readonly ActionRecord[]) => {
    for (const each of actions) await driver().store.recordAction(each);
  };

  describe('the version key', () => {
    it('is random, at least 32 characters long, and the same for every read', async () => {
      const keys = await Promise.all([driver().store.readVersionKey(), driver().store.readVersionKey()]);
      expect(keys[0]).toMatch(/^[\w-]{32,}$/);
      expect([...keys, await driver().store.readVersionKey()]).toEqual([keys[0], keys[0], keys[0]]);
    });

    it('is kept when the whole schedule is cleared', async () => {
      const key = await driver().store.readVersionKey();
      await driver().apply({ type: 'clear' });
      expect(await driver().store.readVersionKey()).toBe(key);
    });
  });

  describe('logged actions', () => {
    it('are stored unchanged and once, whatever text they contain', async () => {
      const odd = action(1, {
        actor: 'ü 任务 👷',
        address: null,
        target: '',
        input: JSON.stringify({ text: `'"\\ \u0000 ${'任'.repeat(8_000)}` }),
        error: `FORBIDDEN: <img src=x> ${'x'.repeat(900)}`,
      });
      await record(odd, odd, { ...odd, actor: 'somebody else' });
      expect(await driver().store.listActions({ take: 10 })).toEqual({ items: [odd], next: null });
    });

    it('are listed in pages, newest first, even if several have the same time', async () => {
      const all = Array.from({ length: 7 }, (_, index) => action(Math.floor(index / 3), { id: `id ${index}` }));
      await record(...all);
      expect(await inPages(driver(), {}, 2)).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `id ${index}`));
      expect(await inPages(driver(), {}, 7)).toHaveLength(7);
      expect(await inPages(driver(), { since: NOW + 60_000 }, 3)).toEqual(['id 6', 'id 5', 'id 4', 'id 3']);
    });

    it('are filtered by actor, operation and text', async () => {
      await record(
        action(1),
        action(2, { actor: 'bob' }),
        action(3, { operation: 'jobs.pause', error: 'NOT_FOUND: Weekly is not there' }),
        action(4, { actor: 'bob', operation: 'jobs.pause', target: 'DEFAULT/WEEKLY', input: '{}' }),
      );
      const found = async (query: Partial<ActionQuery>) => (await inPages(driver(), query, 1)).join();
      expect(await found({ actor: 'bob' })).toBe('id 4,id 2');
      expect(await found({ actor: 'BOB' })).toBe('');
      expect(await found({ operation: 'jobs.pause' })).toBe('id 4,id 3');
      expect(await found({ operation: 'jobs.pause', actor: 'ann' })).toBe('id 3');
      expect(await found({ search: 'weekly' })).toBe('id 4,id 3');
      expect(await found({ search: 'NIGHTLY', actor: 'bob' })).toBe('id 2');
      expect(await found({ search: '%' })).toBe('');
    });

    it('are searched in parts, so that no page reads too many', async () => {
      await record(action(-1, { target: 'sought' }));
      const count = driver().store.description.persistent ? 5_200 : 20;
      for (let index = 0; index < count; index += 100) {
        await Promise.all(
          Array.from({ length: 100 }, (_, at) => record(action(1, { id: String(index + at).padStart(6, '0') }))),
        );
      }
      const first = await driver().store.listActions({ search: 'sought', take: 10 });
      if (driver().store.description.persistent) {
        expect(first).toMatchObject({ items: [], next: { time: NOW + 60_000 } });
      }
      expect(await inPages(driver(), { search: 'sought' }, 10)).toEqual(['id -1']);
    });

    it('are deleted from the oldest, up to a maximum number at once', async () => {
      await record(action(0), action(3), action(1), action(2));
      const prune = (before: number, maxCount: number) => driver().store.pruneActions(NOW + before * 60_000, maxCount);
      expect(await prune(0, 10)).toBe(0);
      expect(await prune(3, 2)).toBe(2);
      expect(await inPages(driver(), {}, 10)).toEqual(['id 3', 'id 2']);
      expect(await prune(3, 2)).toBe(1);
      expect(await prune(3, 2)).toBe(0);
      expect(await inPages(driver(), {}, 10)).toEqual(['id 3']);
    });

    it('are kept when the schedule is cleared', async () => {
      await record(action(1));
      await driver().apply({ type: 'clear' });
      expect(await inPages(driver(), {}, 10)).toEqual(['id 1']);
    });
  });
}

/** The ids of all pages. */
async function inPages(driver: StoreDriver, query: Partial<ActionQuery>, take: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: ActionQuery['after'];
  for (;;) {
    const page = await driver.store.listActions({ ...query, ...(after === undefined ? {} : { after }), take });
    expect(page.items.length).toBeLessThanOrEqual(take);
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) return ids;
    after = page.next;
  }
}
