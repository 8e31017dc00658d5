import { isSilent } from '../../../domain/liveness';
import { checkRules, type Rules } from '../../../domain/rules';
import type { NodeTransaction } from '../rows/node-transaction';
import { readNodes } from './check-in';

export async function selectRules(tx: NodeTransaction): Promise<Rules | null> {
  const [row] = await tx.all<{ readonly META_VALUE: string }>('selectRules');
  return row === undefined ? null : checkRules(row.META_VALUE);
}

/** Stores the rules unless some are already stored. Returns the stored rules. */
export async function storeRules(tx: NodeTransaction, rules: Rules): Promise<Rules> {
  await tx.run('insertRules', { rules });
  return (await selectRules(tx)) ?? rules;
}

export async function replaceRules(tx: NodeTransaction, rules: Rules): Promise<readonly string[]> {
  const { now, nodes } = await readNodes(tx);
  const living = nodes.filter((each) => each.epoch !== null && !isSilent(each, { now, ownLastCheckInTime: now }));
  if (living.length === 0) await tx.run('upsertRules', { rules });
  return living.map(({ instanceId }) => instanceId);
}
