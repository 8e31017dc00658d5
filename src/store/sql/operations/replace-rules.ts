import { isSilent } from '../../../domain/liveness';
import type { SchedulerRules } from '../../../domain/rules';
import type { NodeTransaction } from '../rows/node-transaction';
import { readNodes } from './check-in';
import { replaceMeta } from './meta';
import { encodeRules } from './rules';

/**
 * Replaces the rules unless nodes live. Returns the ids of these nodes. Must run under STATE_ACCESS, under which nodes join and compare their rules with
 * the stored ones.
 */
export async function replaceRules(tx: NodeTransaction, rules: SchedulerRules): Promise<readonly string[]> {
  const { now, nodes } = await readNodes(tx);
  const living = nodes.filter((each) => each.epoch !== null && !isSilent(each, { now, ownLastCheckInTime: now }));
  if (living.length === 0) await replaceMeta(tx, 'rules', encodeRules(rules));
  return living.map(({ instanceId }) => instanceId);
}
