import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';
import { untilCheckedIn } from '../world/at-rest';
import type { CommitLoss } from '../world/faulty-link';
import { detectionOf, LATELY_CHECKED_IN } from '../world/stage';
import { killQuietly, nodeConnections, withStranger } from './server';

/*
 * Database faults that are shorter than a lease. No node is killed, so nothing may be lost.
 */

type Deed = (stage: Stage) => Promise<void>;

/** Loses every commit until one commit of each node was lost, or for a short time. */
const losing =
  (how: CommitLoss['how']): Deed =>
  async ({ fleet }) => {
    for (const { state } of fleet.links) state.commits = { share: 0.5, how };
    await pause(300);
    for (const { state } of fleet.links) state.commits = null;
  };

const DEEDS: Readonly<Record<string, Deed>> = {
  'server kill -9': ({ world }) => world.server.restart('SIGKILL'),
  'commits not sent': losing('before'),
  'commits not answered': losing('after'),
  'server restarted in order': ({ world }) => world.server.restart('SIGTERM'),
  'connections killed': ({ world }) =>
    withStranger(world, async (connection) => {
      for (const id of await nodeConnections(connection)) await killQuietly(connection, `KILL ${id}`);
    }),
  'connections reset': async ({ fleet }) => {
    for (const link of fleet.links) link.cut();
  },
};

async function disturb(stage: Stage): Promise<void> {
  const { fleet, random, left, options, world } = stage;
  const names = Object.keys(DEEDS);
  const longest = LATELY_CHECKED_IN * detectionOf(options);
  for (let turn = 0; left() > 2_000; turn++) {
    await pause(600);
    await untilCheckedIn(world, longest, () => left() <= 2_000);
    const name = names[turn] ?? random.pick(names);
    await fleet.during('outage', name, () => (DEEDS[name] as Deed)(stage));
  }
}

export const DATABASE_SCENARIOS: readonly LoadScenario[] = [
  {
    name: 'database',
    about: 'the server restarts, and connections and commits are lost, all shorter than a lease',
    stores: ['server'],
    hasLinks: true,
    mayFence: false,
    disturb,
  },
];
