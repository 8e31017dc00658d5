import { fileURLToPath } from 'node:url';
import { LineNode } from './line-node.mjs';
import { ourTables } from './our-side.mjs';
import { dueRows } from './rows.mjs';
import { argumentsOf } from './settings.mjs';
import { warmRound } from './warm-round.mjs';

const NODE = fileURLToPath(new URL('../floor-node.mjs', import.meta.url));

/** Enough that the rows of a batch were not touched a moment ago. */
const TRIGGERS = 20_000;

/** The floor: only the row work, in tables with the indexes of ours. */
export async function floorSide(server) {
  const tables = await ourTables(server, 'mysql', '_floor');
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
  await side.tables.settle();
  const { perSecond, ...figures } = await warmRound(side, side.node());
  return { perSecond, midPerSecond: perSecond, ...figures };
}
