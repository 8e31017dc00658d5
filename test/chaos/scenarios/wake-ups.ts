import { rmSync, writeFileSync } from 'node:fs';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';
import { kill } from './processes';
import { killQuietly, withStranger } from './server';

/*
 * Foreign and lost wake-up messages: they may only make a node poll.
 */

type Deed = (epochs: readonly string[]) => Promise<void>;

interface Strange {
  /** Sends wake-up messages to every node. */
  readonly ring: Deed;
  /** Deletes the wake-up address of every node. */
  readonly deafen: Deed;
}

async function bother(stage: Stage, epochs: () => Promise<readonly string[]>, { ring, deafen }: Strange) {
  const { fleet, random, left } = stage;
  while (left() > 1_000) {
    const known = await epochs();
    for (let rings = random.between(10, 100); rings > 0; rings--) {
      await ring(known);
      await pause(random.pick([0, 0, 2, 20]));
    }
    fleet.count('strange rings');
    await deafen(known);
    fleet.count('deafened');
  }
}

async function botherOnServer(stage: Stage): Promise<void> {
  await withStranger(stage.world, async (connection: Connection) => {
    const epochs = async () => {
      const [rows] = await connection.query<RowDataPacket[]>('SELECT EPOCH AS epoch FROM QRTZ_X_NODES');
      return rows.map(({ epoch }) => String(epoch));
    };
    const killing = (what: string) => async (known: readonly string[]) => {
      for (const epoch of known) await killQuietly(connection, `${what} IS_USED_LOCK('quartz_ts bell ${epoch}')`);
    };
    await bother(stage, epochs, { ring: killing('KILL QUERY'), deafen: killing('KILL') });
  });
}

async function botherOnFile(stage: Stage): Promise<void> {
  const bell = `${stage.world.path}-bell`;
  const ring = async () => {
    try {
      writeFileSync(bell, 'x', { flag: 'r+' });
    } catch {
      // Deleted just now.
    }
  };
  await bother(stage, async () => [], { ring, deafen: async () => rmSync(bell, { force: true }) });
}

async function disturb(stage: Stage): Promise<void> {
  const bothering = stage.world.path === null ? botherOnServer(stage) : botherOnFile(stage);
  await Promise.all([bothering, kill(stage, { pause: [1_000, 4_000] })]);
}

export const WAKE_UP_SCENARIOS: readonly LoadScenario[] = [
  {
    name: 'wake-ups',
    about: 'a stranger rings to every node all the time and deafens them, while nodes are killed',
    interferes: true,
    disturb,
  },
];
