import { databaseServer } from './database-server.mjs';
import { floorSide } from './floor-side.mjs';
import { javaMissing } from './java.mjs';
import { javaSide } from './java-side.mjs';
import { ourSide } from './our-side.mjs';

/**
 * Calls `work` with the server and the sides that take part: ours, the real Quartz where it is installed, and the floor if the
 * workload has one. Whatever happens, nothing is left running afterwards.
 */
export async function contest(chosen, { floor = false }, work) {
  const server = chosen.store === 'sqlite' ? null : await databaseServer(chosen.url);
  const sides = [];
  try {
    sides.push(await ourSide(server, extrasOf(chosen)));
    if (server !== null && takesPart(chosen)) sides.push(await javaSide(server));
    if (server !== null && floor && !chosen['no-floor']) sides.push(await floorSide(server));
    return await work(sides, server === null ? 'SQLite, synchronous=FULL' : describe(server));
  } finally {
    for (const { tables } of sides) await tables.drop();
    await server?.stop();
  }
}

const describe = ({ version, durable }) => `${version}, ${durable ? 'durable' : 'not durable'} commits`;

function takesPart(chosen) {
  if (chosen['no-java']) return false;
  const missing = javaMissing(true);
  if (missing !== null) console.error(`Without the real Quartz: ${missing}.`);
  return missing === null;
}

/** `--set key=value` and `--cpu-prof folder`, for our nodes. */
function extrasOf({ set, 'cpu-prof': folder }) {
  const settings = set.map((pair) => [`set.${pair.slice(0, pair.indexOf('='))}`, pair.slice(pair.indexOf('=') + 1)]);
  return {
    settings: Object.fromEntries(settings),
    nodeArguments: folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  };
}
