import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';

/*
 * Harmful changes of the tables while nodes use them, which are undone later.
 */

/** Renames a table for a time: nodes report it, and continue when it is back. */
const hide =
  (table: string) =>
  async ({ fleet, world, left }: Stage): Promise<void> => {
    await pause(5_000);
    const length = Math.min(8_000, Math.max(1_000, left() - 15_000));
    await fleet.during('outage', `${table} renamed`, async () => {
      await world.tables.query(`ALTER TABLE QRTZ_${table} RENAME TO CHAOS_AWAY`);
      await pause(length);
      await world.tables.query(`ALTER TABLE CHAOS_AWAY RENAME TO QRTZ_${table}`);
    });
  };

/** Deletes rows that nodes restore themselves. */
const empty =
  (table: string) =>
  async ({ fleet, world, left }: Stage): Promise<void> => {
    while (left() > 10_000) {
      await pause(5_000);
      await fleet.during('outage', `rows of ${table} deleted`, async () => {
        await world.tables.query(`DELETE FROM QRTZ_${table}`);
      });
    }
  };

export const TABLE_SCENARIOS: readonly LoadScenario[] = [
  {
    name: 'no-kind-table',
    about: 'QRTZ_SIMPLE_TRIGGERS is missing for 8 s',
    stores: ['server'],
    disturb: hide('SIMPLE_TRIGGERS'),
  },
  {
    name: 'no-state-table',
    about: 'QRTZ_SCHEDULER_STATE is missing for 8 s',
    stores: ['server'],
    disturb: hide('SCHEDULER_STATE'),
  },
  { name: 'no-lock-rows', about: 'the rows of QRTZ_LOCKS are deleted', stores: ['server'], disturb: empty('LOCKS') },
  { name: 'no-node-rows', about: 'the rows of QRTZ_SCHEDULER_STATE are deleted', disturb: empty('SCHEDULER_STATE') },
];
