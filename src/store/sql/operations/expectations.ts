import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import {
  beginExpectations,
  dueTimeOf,
  type Expectation,
  type ExpectationOwner,
  metBy,
  ownerText,
  type StoredOwner,
} from '../../../domain/expectation';
import { keyText } from '../../../domain/keys';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyOf, keyList } from '../rows/rows';
import { toFlag } from '../rows/trigger-kinds';
import { type ListedValue, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { Extension } from './extension';
import { getJobs, getTriggers } from './read-schedule';
import type { ScheduleDraft } from './schedule-draft';

/* One row for each trigger or job with `mustSucceedWithin`. Without its owner or setting, the row remains until it is due, and is not reported. */

interface ExpectationRow {
  readonly OWNER: 'job' | 'trigger';
  readonly OWNER_NAME: string;
  readonly OWNER_GROUP: string;
  readonly JOB_NAME: string;
  readonly JOB_GROUP: string;
  readonly WITHIN_MS: number;
  readonly SINCE_TIME: number;
  readonly LAST_SUCCESS: number | null;
}

const MAX_NOTIFIED = 100;

export const EXPECTATIONS: Extension = {
  stored: saveExpectations,
  async freed(tx, { owned, occurrences }) {
    await meetExpectations(tx, owned, occurrences);
  },
};

/** Writes the expectations of the jobs and triggers in a change set. Sends no statement if there are none. */
async function saveExpectations(tx: NodeTransaction, draft: ScheduleDraft, now: EpochMs) {
  const started = beginExpectations(ownersIn(draft), now);
  const rows = started.flatMap((each) => {
    const job = keyList(each.jobKey);
    return each.isNew ? [[...ownerColumns(each), ...job, each.mustSucceedWithin, each.since, dueTimeOf(each)]] : [];
  });
  const changed = started.flatMap((each) => (each.isNew ? [] : [[...ownerColumns(each), each.mustSucceedWithin]]));
  await Promise.all([writeRows(tx, 'upsertExpectations', rows), writeRows(tx, 'changeExpectations', changed)]);
}

function ownersIn({ jobs, triggers }: ScheduleDraft): readonly StoredOwner[] {
  const owners: StoredOwner[] = [];
  const firstTimes = new Map<string, EpochMs>();
  for (const { before, now, isWritten } of triggers.values()) {
    if (!isWritten || now === null || now.trigger === null) continue;
    const { key, jobKey, policy, previousFireTime, nextFireTime } = now.trigger;
    const firstTime = previousFireTime === null ? nextFireTime : null;
    const job = keyText(jobKey);
    if (firstTime !== null) firstTimes.set(job, Math.min(firstTime, firstTimes.get(job) ?? firstTime));
    const previous = before === null ? null : before.trigger?.policy?.mustSucceedWithin;
    owners.push({ jobKey, triggerKey: key, before: previous, after: policy?.mustSucceedWithin, firstTime });
  }
  for (const [text, { key, before, stored, written }] of jobs) {
    const after = written?.policy?.mustSucceedWithin;
    if (after === undefined) continue;
    const previous = before === null ? null : stored?.policy?.mustSucceedWithin;
    owners.push({ jobKey: key, triggerKey: null, before: previous, after, firstTime: firstTimes.get(text) ?? null });
  }
  return owners;
}

/** Restarts the expectations that ended runs have met: the next deadline counts from the success. Sends no statement if no expectation was met. */
async function meetExpectations(
  tx: NodeTransaction,
  completions: readonly Completion[],
  ended: ReadonlyMap<Completion, SpreadOccurrence>,
): Promise<void> {
  const rows = metBy(completions, ended).map((each) => [...ownerColumns(each), each.time]);
  await writeRows(tx, 'meetExpectations', rows);
}

export async function nextDueTime(reader: NodeReader): Promise<EpochMs | null> {
  const [row] = await reader.all<{ readonly DUE_TIME: number }>('selectNextExpectation');
  return row?.DUE_TIME ?? null;
}

/**
 * Marks overdue expectations as reported and returns them: at most `MAX_NOTIFIED` per call. Deletes overdue expectations that no longer apply.
 * Must run under TRIGGER_ACCESS. Throws `StaleRead` if another node has reported an expectation since it was read.
 */
export async function takeOverdue(tx: NodeTransaction, now: EpochMs): Promise<readonly Expectation[]> {
  const due = await selectDue(tx, { isNotified: toFlag(false), now, limit: MAX_NOTIFIED });
  const { standing, void: left } = await examine(tx, due);
  await writeEveryRow(tx, 'notifyExpectations', standing.map(dueColumns));
  await writeEveryRow(tx, 'deleteExpectations', left.map(dueColumns));
  return standing;
}

export async function listOverdue(
  tx: NodeTransaction,
  now: EpochMs,
  maxCount: number,
): Promise<readonly Expectation[]> {
  const lists = [false, true].map((isNotified) =>
    selectDue(tx, { isNotified: toFlag(isNotified), now, limit: maxCount }),
  );
  const due = (await Promise.all(lists)).flat().sort((a, b) => dueTimeOf(a) - dueTimeOf(b));
  return (await examine(tx, due.slice(0, maxCount))).standing;
}

async function selectDue(
  tx: NodeTransaction,
  { isNotified, now, limit }: { readonly isNotified: string; readonly now: EpochMs; readonly limit: number },
): Promise<readonly Expectation[]> {
  const rows = await tx.all<ExpectationRow>('selectDueExpectations', { isNotified, now, limit });
  return rows.map((row) => ({
    jobKey: jobKeyOf(row),
    triggerKey: row.OWNER === 'job' ? null : { name: row.OWNER_NAME, group: row.OWNER_GROUP },
    mustSucceedWithin: row.WITHIN_MS,
    since: row.SINCE_TIME,
    lastSuccess: row.LAST_SUCCESS,
  }));
}

interface Examined {
  /** Expectations that still apply: their trigger or job exists and has the same `mustSucceedWithin`. */
  readonly standing: readonly Expectation[];
  readonly void: readonly Expectation[];
}

async function examine(tx: NodeTransaction, due: readonly Expectation[]): Promise<Examined> {
  if (due.length === 0) return { standing: [], void: [] };
  const triggerKeys = due.flatMap(({ triggerKey }) => triggerKey ?? []);
  const jobKeys = due.flatMap(({ triggerKey, jobKey }) => (triggerKey === null ? [jobKey] : []));
  const triggers = triggerKeys.length === 0 ? [] : await getTriggers(tx, triggerKeys);
  const jobs = jobKeys.length === 0 ? [] : await getJobs(tx, jobKeys);
  const current = new Map<string, number | undefined>();
  for (const { trigger } of triggers) {
    current.set(ownerText({ jobKey: trigger.jobKey, triggerKey: trigger.key }), trigger.policy?.mustSucceedWithin);
  }
  for (const { key, policy } of jobs)
    current.set(ownerText({ jobKey: key, triggerKey: null }), policy?.mustSucceedWithin);
  const stands = (each: Expectation) => current.get(ownerText(each)) === each.mustSucceedWithin;
  return { standing: due.filter(stands), void: due.filter((each) => !stands(each)) };
}

function ownerColumns({ jobKey, triggerKey }: ExpectationOwner): readonly [string, string, string] {
  const key = triggerKey ?? jobKey;
  return [key.name, key.group, triggerKey === null ? 'job' : 'trigger'];
}

function dueColumns(each: Expectation): readonly ListedValue[] {
  return [...ownerColumns(each), dueTimeOf(each)];
}
