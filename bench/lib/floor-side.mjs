import { fileURLToPath } from 'node:url';
import { perFiring } from './figures.mjs';
import { LineNode } from './line-node.mjs';
import { ourTables } from './our-side.mjs';
import { dueRows } from './rows.mjs';
import { argumentsOf } from './settings.mjs';

const NODE = fileURLToPath(new URL('../floor-node.mjs', import.meta.url));

/** Enough that the rows of a batch were not touched a moment ago. */
const TRIGGERS = 20_000;

/** The floor: only the row work, in tables with the indexes of ours. */
export async function floorSide(server) {
  const tables = await ourTables(server, 'floor');
  await tables.load(dueRows({ n: TRIGGERS, at: Date.now() }));
  await tables.settle();
  return {
    name: 'floor',
    label: 'floor',
    tables,
    node: () => new LineNode(process.execPath, [NODE, ...argumentsOf({ url: tables.url, n: TRIGGERS })]),
  };
}

/** A few seconds of the floor, after a warm-up. */
export async function floorRound(side) {
  const { tables } = side;
  const node = side.node();
  await node.ready();
  node.say();
  await node.hear((line) => line === 'WARM');
  const before = await tables.counters();
  const { count, perSecond, cpuMs } = await node.stop();
  const after = await tables.counters();
  await node.exit();
  return { count, perSecond, midPerSecond: perSecond, nodesCpuMs: cpuMs / count, ...perFiring(before, after, count) };
}
