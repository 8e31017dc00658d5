import type { ConsoleSession } from '../../../src/domain/console-session';
import type { StoreContext } from '../describe-job-store';
import { NOW } from '../samples';

const HOUR = 3_600_000;

const session = (id: string, endTime: number): ConsoleSession => ({
  idHash: id.padEnd(43, '-'),
  userKind: 'user',
  userName: 'ännchen 任务',
  credentialHash: 'c'.repeat(43),
  endTime,
});

/** Login sessions of consoles. */
export function describeSessions({ driver }: StoreContext): void {
  describe('console sessions', () => {
    it('are found by their hash until they end', async () => {
      const { store } = driver();
      const [one, two] = [session('one', NOW + HOUR), session('two', NOW + 2 * HOUR)];
      await store.beginSession(one, NOW);
      await store.beginSession(two, NOW);
      const found = (idHash: string) => store.findSession(idHash);
      expect([await found(one.idHash), await found(two.idHash)]).toEqual([one, two]);
      expect([await found(one.idHash.toUpperCase()), await found('')]).toEqual([null, null]);
      await store.endSession(one.idHash);
      await store.endSession(one.idHash);
      expect([await found(one.idHash), await found(two.idHash)]).toEqual([null, two]);
    });

    it('are deleted when another session begins after their end', async () => {
      const { store } = driver();
      const [past, present, next] = [session('past', NOW), session('present', NOW + 1), session('next', NOW + HOUR)];
      await store.beginSession(past, NOW - HOUR);
      await store.beginSession(present, NOW - HOUR);
      await store.beginSession(next, NOW);
      const left = await Promise.all([past, present, next].map(({ idHash }) => store.findSession(idHash)));
      expect(left).toEqual([null, present, next]);
    });

    it('are kept when the whole schedule is cleared', async () => {
      const one = session('one', NOW + HOUR);
      await driver().store.beginSession(one, NOW);
      await driver().apply({ type: 'clear' });
      expect(await driver().store.findSession(one.idHash)).toEqual(one);
    });
  });
}
