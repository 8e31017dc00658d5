import { systemRandom } from '../../../base/ids';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';

const KEY_CHARACTERS = 50;

/** The key of this scheduler's versions of definitions; null: no node has needed it yet. */
export async function selectVersionKey(tx: SqlTransaction, { schedName }: SqlNode): Promise<string | null> {
  return (await tx.all<{ readonly META_VALUE: string }>('selectVersionKey', { schedName }))[0]?.META_VALUE ?? null;
}

/** Stores a new key unless another node has stored one, and returns the one that is stored. */
export async function storeVersionKey(tx: SqlTransaction, node: SqlNode): Promise<string> {
  const versionKey = systemRandom.token(KEY_CHARACTERS);
  await tx.run('insertVersionKey', { schedName: node.schedName, versionKey });
  return (await selectVersionKey(tx, node)) ?? versionKey;
}
