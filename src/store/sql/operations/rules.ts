import { readJson } from '../../../base/read-json';
import { checkClockChanges, checkRules, type SchedulerRules } from '../../../domain/rules';
import type { NodeTransaction } from '../rows/node-transaction';
import { insertMeta, selectMeta } from './meta';

export async function selectRules(tx: NodeTransaction): Promise<SchedulerRules | null> {
  const text = await selectMeta(tx, 'rules');
  return text === null ? null : decodeRules(text);
}

/** Stores the rules unless some are already stored. Returns the stored rules. */
export async function storeRules(tx: NodeTransaction, rules: SchedulerRules): Promise<SchedulerRules> {
  return decodeRules(await insertMeta(tx, 'rules', encodeRules(rules)));
}

export function encodeRules({ rules, clockChanges }: SchedulerRules): string {
  return JSON.stringify({ rules, clockChanges });
}

/** Throws INVALID_ARGUMENT for a value that no node has stored. */
export function decodeRules(text: string): SchedulerRules {
  const { rules, clockChanges } = (readJson(text) ?? {}) as Partial<Record<keyof SchedulerRules, unknown>>;
  return { rules: checkRules(rules), clockChanges: checkClockChanges(clockChanges, 'the stored rules') };
}
