import { keyText, sameKey } from '../../../domain/keys';
import { targetsOf } from '../../../domain/pause';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Extension } from './extension';
import { deletePausedGroups, insertPausedGroups } from './paused-groups';
import { forgetFreed, forgetPauses } from './pauses';
import type { ScheduleDraft, TriggerDraft, TriggerNow } from './schedule-draft';

/** Stores the paused groups of a change set, and deletes the explanations of pauses that the change set ends. */
export const PAUSES: Extension = {
  async stored(tx, node, draft) {
    const { paused, pausedBefore } = draft;
    await insertPausedGroups(
      tx,
      node,
      [...paused].filter((group) => !pausedBefore.has(group)),
    );
    await deletePausedGroups(
      tx,
      node,
      [...pausedBefore].filter((group) => !paused.has(group)),
    );
    await forgetPausesOf(tx, node, draft);
  },
};

/** Deletes the explanations of pauses whose target the change set deletes or resumes. Sends no statement if nothing paused was changed. */
async function forgetPausesOf(tx: SqlTransaction, node: SqlNode, draft: ScheduleDraft): Promise<void> {
  const changed = [...draft.triggers.values()].filter((each) => isPaused(each.before) && leavesItsPause(each));
  const isCleared = draft.isCleared && (changed.length > 0 || draft.pausedBefore.size > 0);
  if (isCleared) await tx.run('deleteAllPauses', { schedName: node.schedName });
  if (isCleared || changed.length === 0) return;
  const jobs = [...draft.jobs.values()].filter(({ before, facts }) => before !== null && facts === null);
  const resumed = changed.filter(({ now }) => !isPaused(now)).map(({ key }) => key);
  const deleted = jobs.map(({ key }) => key);
  await forgetPauses(tx, node, [...targetsOf('trigger', resumed), ...targetsOf('job', deleted)]);
  const texts = new Set(deleted.map(keyText));
  const left = changed.flatMap(({ before }) => before?.jobKey ?? []).filter((key) => !texts.has(keyText(key)));
  await forgetFreed(tx, node, left);
}

function isPaused(trigger: Pick<TriggerNow, 'state'> | null): boolean {
  return trigger?.state === 'PAUSED' || trigger?.state === 'PAUSED_BLOCKED';
}

function leavesItsPause({ before, now }: TriggerDraft): boolean {
  return !isPaused(now) || before === null || now === null || !sameKey(before.jobKey, now.jobKey);
}
