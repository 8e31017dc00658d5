import type { EpochMs } from '../../../base/clock';
import { distinctKeys, firstOfEach, type JobKey, keyText, sameKey, type TriggerKey } from '../../../domain/keys';
import {
  type ExplainedPause,
  endedBy,
  type PausedTrigger,
  type PauseExplanation,
  type PauseTarget,
  pauseAt,
  pauseText,
  placeOfPause,
  targetsOf,
} from '../../../domain/pause';
import { isPaused } from '../../../domain/trigger-state';
import type { TargetPageQuery } from '../../job-store';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyColumns } from '../rows/rows';
import { toBoolean, toFlag } from '../rows/trigger-kinds';
import { optional, selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { Extension } from './extension';
import { deletePausedGroups, insertPausedGroups } from './paused-groups';
import type { ScheduleDraft, TriggerDraft } from './schedule-draft';
import { selectJobKeys } from './select-definitions';

interface PauseRow {
  readonly TARGET: PauseTarget['kind'];
  readonly TARGET_GROUP: string;
  readonly TARGET_NAME: string;
  readonly REASON: string | null;
  readonly PAUSED_BY: string | null;
  readonly SINCE_TIME: number;
  readonly UNTIL_TIME: number | null;
  readonly HOLDS_RETRIES: string;
}

export async function selectPauses(tx: NodeTransaction): Promise<readonly ExplainedPause[]> {
  return (await tx.all<PauseRow>('selectPauses')).map(toPause);
}

/** Returns the elapsed pauses. `nextEnd`: time at which the next pause ends automatically; null if none does. */
export async function selectElapsedPauses(reader: NodeReader, now: EpochMs) {
  const over = await reader.all<PauseRow>('selectElapsedPauses', { now });
  const [next] = await reader.all<Pick<PauseRow, 'UNTIL_TIME'>>('selectNextPauseEnd', { now });
  return { over: over.map(toPause), nextEnd: next?.UNTIL_TIME ?? null };
}

export async function pagePauses(tx: NodeTransaction, { after, take }: TargetPageQuery) {
  const [afterTarget, afterGroup, afterName] = after === undefined ? ['', '', ''] : placeOfPause(after);
  const params = { afterTarget, afterGroup, afterName, take: take + 1 };
  const items = (await tx.all<PauseRow>('selectPausePage', params)).map(toPause);
  return { items: items.slice(0, take), next: items.length > take ? (items[take - 1]?.target ?? null) : null };
}

/** Returns the explained pauses of these targets, and every explained pause whose target is a set of groups. */
export async function selectPausesOfTargets(
  tx: NodeTransaction,
  targets: readonly PauseTarget[],
): Promise<readonly ExplainedPause[]> {
  const places = targets.filter((target) => 'key' in target).map(placeOfPause);
  const [ofGroups, ofKeys] = await Promise.all([
    tx.all<PauseRow>('selectPausesOfGroups'),
    selectByRows<PauseRow>(tx, 'selectPausesOfKeys', places),
  ]);
  return [...ofGroups, ...ofKeys].map(toPause);
}

/** Returns the explained pauses that may cover these triggers. */
export async function selectPausesOf(
  tx: NodeTransaction,
  triggers: readonly PausedTrigger[],
): Promise<readonly ExplainedPause[]> {
  const keys = distinctKeys(triggers.flatMap(({ key, of }) => (of === undefined ? [key] : [key, of])));
  const jobs = distinctKeys(triggers.map(({ jobKey }) => jobKey));
  return selectPausesOfTargets(tx, [...targetsOf('trigger', keys), ...targetsOf('job', jobs)]);
}

function toPause(row: PauseRow): ExplainedPause {
  return {
    target: pauseAt([row.TARGET, row.TARGET_GROUP, row.TARGET_NAME]),
    reason: row.REASON,
    by: row.PAUSED_BY,
    since: row.SINCE_TIME,
    until: row.UNTIL_TIME,
    ...(!toBoolean(row.HOLDS_RETRIES) && { holdsRetries: false }),
  };
}

/** Stores one explanation for the pauses of all targets, replacing earlier explanations. */
async function explainPauses(
  tx: NodeTransaction,
  targets: readonly PauseTarget[],
  { reason, by, since, until, holdsRetries = true }: PauseExplanation,
): Promise<void> {
  await forgetPauses(tx, targets);
  const columns = [optional(reason), optional(by), since, optional(until), toFlag(holdsRetries)] as const;
  const rows = targets.map((target) => [...placeOfPause(target), ...columns]);
  await writeEveryRow(tx, 'insertPauses', rows);
}

/** Deletes the explanations of pauses of these targets. Returns the number deleted. */
export function forgetPauses(tx: NodeTransaction, targets: readonly PauseTarget[]) {
  return writeRows(tx, 'deletePauses', targets.map(placeOfPause));
}

/** Targets of a pause, with its explanation; null if none was given. */
interface ExplainedTargets {
  readonly explanation: PauseExplanation | null;
  readonly selected: readonly PauseTarget[];
  /** Selected targets that were already paused. Only these targets may have an earlier explanation. */
  readonly before: readonly PauseTarget[];
}

/** Stores the explanation of a pause. If none was given, deletes earlier explanations. */
export async function storeExplanation(
  tx: NodeTransaction,
  { explanation, selected, before }: ExplainedTargets,
): Promise<void> {
  if (explanation === null) await forgetPauses(tx, before);
  else await explainPauses(tx, selected, explanation);
}

interface Resumed {
  /** Targets that were resumed. Empty if jobs were resumed: `PortionedMoves.forget` deletes the explanations of their pauses. */
  readonly targets: readonly PauseTarget[];
  readonly keys: readonly TriggerKey[];
  readonly jobs: readonly JobKey[];
}

/** Deletes the explanations of pauses that have ended: pauses of the resumed targets and triggers, and pauses of jobs without paused triggers. */
export async function forgetEnded(tx: NodeTransaction, resumed: Resumed): Promise<void> {
  const { targets, keys, jobs } = resumed;
  const isOver = endedBy(targets, new Set(keys.map(keyText)));
  const named = [...targets, ...targetsOf('trigger', keys), ...targetsOf('job', jobs)];
  const pauses = await selectPausesOfTargets(tx, firstOfEach(named, pauseText));
  const others = pauses.filter((each) => !isOver(each));
  const free = await withoutPaused(tx, others, jobs);
  await forgetPauses(tx, [...pauses.filter(isOver).map(({ target }) => target), ...free]);
}

/** Deletes the explanations of pauses of jobs that have no paused trigger left. */
async function forgetFreed(tx: NodeTransaction, jobs: readonly JobKey[]): Promise<void> {
  if (jobs.length === 0) return;
  const pauses = await selectPausesOfTargets(tx, targetsOf('job', distinctKeys(jobs)));
  await forgetPauses(tx, await withoutPaused(tx, pauses, jobs));
}

/** Returns the jobs that have an explained pause but no paused trigger. */
async function withoutPaused(
  tx: NodeTransaction,
  pauses: readonly ExplainedPause[],
  jobs: readonly JobKey[],
): Promise<readonly PauseTarget[]> {
  const targets = new Set(pauses.map(({ target }) => pauseText(target)));
  const explained = distinctKeys(jobs).filter((key) => targets.has(pauseText({ kind: 'job', key })));
  const paused = await selectJobKeys(tx, 'selectPausedJobs', explained.map(jobKeyColumns));
  const texts = new Set(paused.map(keyText));
  const free = explained.filter((key) => !texts.has(keyText(key)));
  return targetsOf('job', free);
}

/** Stores the paused groups of a change set, and deletes the explanations of pauses that the change set ends. */
export const PAUSES: Extension = {
  async stored(tx, draft) {
    const { paused, pausedBefore } = draft;
    const added = [...paused].filter((group) => !pausedBefore.has(group));
    const removed = [...pausedBefore].filter((group) => !paused.has(group));
    await insertPausedGroups(tx, added);
    await deletePausedGroups(tx, removed);
    await movePauses(tx, draft);
    await forgetPausesOf(tx, draft);
  },
};

/** Moves the explanations of the pauses of renamed triggers. */
async function movePauses(tx: NodeTransaction, { movedPauses }: ScheduleDraft): Promise<void> {
  if (movedPauses.length === 0) return;
  const keys = movedPauses.map(({ from }) => from);
  const places = new Map(movedPauses.map(({ from, to }) => [keyText(from), to]));
  const rows = await selectByRows<PauseRow>(tx, 'selectPausesOfKeys', targetsOf('trigger', keys).map(placeOfPause));
  for (const { target, ...explanation } of rows.map(toPause)) {
    const to = 'key' in target ? places.get(keyText(target.key)) : undefined;
    if (to !== undefined) await explainPauses(tx, targetsOf('trigger', [to]), explanation);
  }
}

/** Deletes the explanations of pauses whose target the change set deletes or resumes. Sends no statement if nothing paused was changed. */
async function forgetPausesOf(tx: NodeTransaction, draft: ScheduleDraft): Promise<void> {
  const changed = [...draft.triggers.values()].filter(
    (each) => each.before !== null && isPaused(each.before.state) && leavesItsPause(each),
  );
  const isCleared = draft.isCleared && (changed.length > 0 || draft.pausedBefore.size > 0);
  if (isCleared) await tx.run('deleteAllPauses');
  if (isCleared || changed.length === 0) return;
  const jobs = [...draft.jobs.values()].filter(({ before, facts }) => before !== null && facts === null);
  const resumed = changed.filter(({ now }) => now === null || !isPaused(now.state)).map(({ key }) => key);
  const deleted = jobs.map(({ key }) => key);
  await forgetPauses(tx, [...targetsOf('trigger', resumed), ...targetsOf('job', deleted)]);
  const texts = new Set(deleted.map(keyText));
  const left = changed.flatMap(({ before }) => before?.jobKey ?? []).filter((key) => !texts.has(keyText(key)));
  await forgetFreed(tx, left);
}

function leavesItsPause({ before, now }: TriggerDraft): boolean {
  return before === null || now === null || !isPaused(now.state) || !sameKey(before.jobKey, now.jobKey);
}
