import type { EpochMs } from '../../../base/clock';
import type { ConsoleSession } from '../../../domain/console-session';
import type { NodeTransaction } from '../rows/node-transaction';

interface SessionRow {
  readonly USER_KIND: string;
  readonly USER_NAME: string;
  readonly CREDENTIAL_HASH: string;
  readonly END_TIME: number;
}

export async function beginSession(
  tx: NodeTransaction,
  { idHash, ...columns }: ConsoleSession,
  now: EpochMs,
): Promise<void> {
  await tx.run('deleteEndedSessions', { now, limit: MAX_ENDED });
  await tx.run('insertSession', { sessionHash: idHash, ...columns });
}

/** Maximum number of ended sessions that a new one deletes. */
const MAX_ENDED = 100;

export async function findSession(tx: NodeTransaction, idHash: string): Promise<ConsoleSession | null> {
  const [row] = await tx.all<SessionRow>('selectSession', { sessionHash: idHash });
  if (row === undefined) return null;
  return {
    idHash,
    userKind: row.USER_KIND,
    userName: row.USER_NAME,
    credentialHash: row.CREDENTIAL_HASH,
    endTime: row.END_TIME,
  };
}

export async function endSession(tx: NodeTransaction, idHash: string): Promise<void> {
  await tx.run('deleteSession', { sessionHash: idHash });
}
