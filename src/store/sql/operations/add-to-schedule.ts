import { ObjectAlreadyExistsError, SchedulerError } from '../../../base/errors';
import { applyChanges } from '../../../domain/apply-changes';
import { formatKey } from '../../../domain/keys';
import type { ChangeSet, Outcomes } from '../../../domain/schedule-change';
import { ALL_GROUPS_PAUSED, type ApplyOptions } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { withRulesOf } from '../rows/sql-node';
import { StaleRead } from '../runtime/retry-rules';
import { selectByRows } from '../runtime/row-batches';
import { SqlError } from '../runtime/sql-driver';
import { watchJavaNodes } from './beside-java';
import { loadDraft } from './load-draft';
import { namesIn } from './names-in-changes';
import { saveDraft } from './save-draft';

/**
 * Adds jobs and triggers in the application's own transaction, without the cluster-wide lock. The lock orders writers of existing rows, but this
 * function only inserts rows. Other transactions see these rows after the commit. Until the commit, the rows that the new rows depend on stay
 * locked: the job by the foreign key, the calendar and the group's pause by shared locks. The insert detects duplicate keys, because the
 * transaction may read an older snapshot. Triggers of non-concurrent jobs are stored as WAITING, and are checked when they fire.
 *
 * Throws OBJECT_ALREADY_EXISTS for a duplicate key, JOB_NOT_FOUND for a job deleted after the snapshot, and every error of `applyChanges`.
 */
export async function addToSchedule(tx: NodeTransaction, changes: ChangeSet, options: ApplyOptions): Promise<Outcomes> {
  await watchJavaNodes(tx);
  const names = namesIn(changes);
  const groups = [...new Set(names.newTriggers.map(({ group }) => group)), ALL_GROUPS_PAUSED];
  type Group = { readonly TRIGGER_GROUP: string };
  const paused = await selectByRows<Group>(tx, 'sharePausedGroups', groups);
  await selectByRows(tx, 'shareCalendars', names.calendars);
  const pausedGroups = new Set(paused.map(({ TRIGGER_GROUP }) => TRIGGER_GROUP));
  const draft = await loadDraft(tx, names, { paused: pausedGroups, readsExecuting: false });
  const outcomes = applyChanges(draft, changes, withRulesOf(tx.node, options));
  try {
    await saveDraft(tx, draft, { statement: 'insertImmediateFirings', now: options.now, rows: [] });
  } catch (error) {
    throw refusalOf(error, changes) ?? error;
  }
  return outcomes;
}

/** Returns the error for an object that was stored or deleted after the transaction's snapshot. Null if `error` has another cause. */
function refusalOf(error: unknown, changes: ChangeSet): SchedulerError | null {
  if (error instanceof SqlError && error.kind === 'duplicateKey') {
    const what = /Jobs?$/.test(error.statement ?? '') ? 'job' : 'trigger';
    return new ObjectAlreadyExistsError(what, namesOf(what, changes));
  }
  const isGone = error instanceof StaleRead || (error instanceof SqlError && error.kind === 'foreignKey');
  if (!isGone) return null;
  const jobs = changes.flatMap((each) => (each.type === 'storeTrigger' ? [formatKey(each.trigger.jobKey)] : []));
  const message = `The job '${jobs.join("' or '")}' is no longer stored: it was deleted after this transaction began.`;
  return new SchedulerError('JOB_NOT_FOUND', message, { cause: error });
}

function namesOf(what: 'job' | 'trigger', changes: ChangeSet): string {
  const keys = changes.flatMap((each) => {
    if (each.type === 'storeJob' && what === 'job') return [each.job.key];
    return each.type === 'storeTrigger' && what === 'trigger' ? [each.trigger.key] : [];
  });
  return keys.map(formatKey).join("' or '");
}
