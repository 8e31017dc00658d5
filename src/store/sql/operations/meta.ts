import type { NodeReader, NodeTransaction } from '../rows/node-transaction';

/** Keys of values in QRTZ_X_META that all nodes of a scheduler share. Commit tokens have keys of their own in that table. */
type MetaKey = 'versionKey' | 'rules' | 'timeZoneData';

/** Returns the stored value; null if no node has stored one. */
export async function selectMeta(reader: NodeReader, metaKey: MetaKey): Promise<string | null> {
  return (await reader.all<{ readonly META_VALUE: string }>('selectMeta', { metaKey }))[0]?.META_VALUE ?? null;
}

/** Stores a value unless one is already stored. Returns the stored value. */
export async function insertMeta(tx: NodeTransaction, metaKey: MetaKey, value: string): Promise<string> {
  await tx.run('insertMeta', { metaKey, value });
  return (await selectMeta(tx, metaKey)) ?? value;
}

/** Replaces a stored value if it is still `expected`. Returns false otherwise. */
export async function exchangeMeta(
  tx: NodeTransaction,
  metaKey: MetaKey,
  { expected, value }: { readonly expected: string; readonly value: string },
): Promise<boolean> {
  return (await tx.run('exchangeMeta', { metaKey, expected, value })).changes === 1;
}

export async function replaceMeta(tx: NodeTransaction, metaKey: MetaKey, value: string): Promise<void> {
  await tx.run('upsertMeta', { metaKey, value });
}
