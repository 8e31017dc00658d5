import type { EpochMs } from '../../../base/clock';
import type { LimitState } from '../../../domain/batch-limiter';
import type { FiringTerms } from '../../../domain/firing';
import { asksForSlot, type FiringDemand } from '../../../domain/limit-claims';
import { idleRatesBefore } from '../../../domain/rate-limit';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Reader } from './read-cluster';

/*
 * Rates: one row of QRTZ_X_RATES for each key that was used lately, read and written under TRIGGER_ACCESS by what fires under a rate, once
 * for a batch.
 */

interface RateRow {
  readonly RATE_KEY: string;
  readonly NEXT_SLOT: number;
}

/** What is kept of the keys of which any of these asks for a slot. */
export async function readSlots(
  { tx, schedName, now }: { readonly tx: SqlTransaction; readonly schedName: string; readonly now: EpochMs },
  demands: readonly FiringDemand[],
): Promise<LimitState['slotOf']> {
  const keys = new Set(demands.flatMap(({ rate }) => (rate !== null && asksForSlot(rate, now) ? [rate.key] : [])));
  const rows = await selectByRows<RateRow>(tx, 'selectRates', { schedName }, [...keys]);
  const slots = new Map(rows.map(({ RATE_KEY, NEXT_SLOT }) => [RATE_KEY, NEXT_SLOT]));
  return (key) => slots.get(key) ?? null;
}

/** Keeps what firings have taken of their rates; of several of a key, the last. */
export async function writeSlots(
  tx: SqlTransaction,
  schedName: string,
  firings: readonly { readonly terms: FiringTerms | null }[],
): Promise<void> {
  const slots = new Map<string, number>();
  for (const { terms } of firings) {
    if (terms?.rate !== undefined) slots.set(terms.rate.key, Math.max(terms.rate.next, slots.get(terms.rate.key) ?? 0));
  }
  await writeRows(tx, 'upsertRates', { schedName }, [...slots]);
}

/** Keys of which what is kept says nothing any more; at most `limit`. */
export async function findIdleRates(reader: Reader, node: SqlNode, limit: number): Promise<readonly string[]> {
  const params = { schedName: node.schedName, before: idleRatesBefore(node.clock.now()), limit };
  return (await reader.all<RateRow>('selectIdleRates', params)).map(({ RATE_KEY }) => RATE_KEY);
}

/** Deletes what is kept of keys, unless they have been used again. */
export async function deleteIdleRates(tx: SqlTransaction, node: SqlNode, keys: readonly string[]): Promise<void> {
  const params = { schedName: node.schedName, before: idleRatesBefore(node.clock.now()) };
  await writeRows(tx, 'deleteIdleRates', params, keys);
}
