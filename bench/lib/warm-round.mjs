import { perFiring } from './figures.mjs';

/**
 * One round of a node that warms itself up first (READY, a line, WARM, a line, R {json}): what it answers, and what that cost,
 * for each of the `count` things it did.
 */
export async function warmRound({ tables }, node) {
  await node.ready();
  const warm = node.hear((line) => line === 'WARM');
  node.say();
  await warm;
  const before = await tables.counters();
  const { cpuMs, ...result } = await node.stop();
  const after = await tables.counters();
  await node.exit();
  return { ...result, nodesCpuMs: cpuMs / result.count, ...perFiring(before, after, result.count) };
}
