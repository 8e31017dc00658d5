import { type EpochMs, earliestOf } from '../../../base/clock';
import {
  type Completion,
  type CompletionPlan,
  mayEndTrigger,
  planCompletion,
  wantedRuns,
} from '../../../domain/completion';
import { distinctKeys, firstOfEach, formatKey, type JobKey, keyText, sameKey } from '../../../domain/keys';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { Trigger } from '../../../domain/trigger';
import { isEndedByCalendar } from '../../../domain/trigger-end';
import { nextState, type TriggerState } from '../../../domain/trigger-state';
import type { CompletionOutcome } from '../../job-store';
import { encodeJobData, keepPolicy } from '../rows/job-data';
import type { NodeTransaction } from '../rows/node-transaction';
import { readPlainTrigger } from '../rows/read-rows';
import { jobKeyColumns, jobKeyOf, keyList, readable, toHex, toState, toTime, triggerKeyColumns } from '../rows/rows';
import { dataFormsOf } from '../rows/sql-node';
import { toBoolean } from '../rows/trigger-kinds';
import { StaleRead } from '../runtime/retry-rules';
import { type RowOfSet, selectByRows, selectOrdered, writeRows } from '../runtime/row-batches';
import {
  type CompletedBatch,
  type Deletions,
  deleteFinished,
  FENCED,
  type FinishedTrigger,
  outcomeOf,
  UnexpectedRows,
} from './completed-batch';
import type { EndedRuns, IndirectEnds } from './extension';
import { EXTENSIONS } from './extensions';
import { selectExecutingJobs, selectFiredTriggers, unblockTriggersOf } from './fired-triggers';
import { type FurtherRun, insertFurtherRuns, planFurtherRuns } from './further-runs';
import { endOccurrences } from './occurrence-ends';
import { type JobName, selectEachJob, selectTriggerKeys, selectTriggerRows } from './select-definitions';
import { endReservations, moveTriggers } from './write-triggers';

/** Stored state for one completion: its job, and the trigger that now has the key of the fired trigger. */
interface CompletionTarget {
  readonly POSITION: number;
  readonly IS_NONCONCURRENT: string | null;
  readonly IS_UPDATE_DATA: string | null;
  readonly IS_DURABLE: string | null;
  readonly TRIGGER_STATE: string | null;
  readonly TRIGGER_TYPE: string | null;
  readonly NEXT_FIRE_TIME: number | null;
  /** Job of the stored trigger. It may differ from the job of the completed firing. */
  readonly JOB_NAME: string | null;
  readonly JOB_GROUP: string | null;
}

/** Stored state that the completions of a batch affect. Maps and sets are keyed by `keyText`. */
interface CompletionTargets {
  /** One per completion, in the same order. */
  readonly targets: readonly CompletionTarget[];
  /** Stored triggers to compare with the fired triggers. A trigger that was rescheduled after it fired stays unchanged. */
  readonly triggers: ReadonlyMap<string, Trigger>;
  /** Stored data of the jobs whose executions returned data. */
  readonly jobData: ReadonlyMap<string, Uint8Array | null>;
  /** Jobs that are executing, among the jobs that were non-concurrent when they fired. */
  readonly executing: ReadonlySet<string>;
  /** Triggers that these completions may end: each has no further fire time and no executing firing. */
  readonly over: ReadonlySet<string>;
}

/** A completion whose fired trigger this node still owned, with its stored state and planned effects. */
interface PlannedCompletion {
  readonly completion: Completion;
  readonly target: CompletionTarget;
  readonly plan: CompletionPlan;
}

/**
 * Ends firings under TRIGGER_ACCESS. Returns one outcome per completion, in the same order. Needs two round trips: the first deletes and reads, the
 * second writes. If `isOwnedUnknown` is true, another node may have recovered some of the firings, so the fired triggers that this node still owns
 * are looked up first. If it is false, a missing fired trigger throws `UnexpectedRows`.
 */
export async function completeLocked(
  tx: NodeTransaction,
  completions: readonly Completion[],
  { isOwnedUnknown }: { readonly isOwnedUnknown: boolean },
): Promise<CompletedBatch> {
  const firstOnes = firstOfEach(completions, entryOf); // a firing may be completed twice
  const held = isOwnedUnknown ? await selectFiredTriggers(tx, firstOnes.map(entryOf), 'EXECUTING') : null;
  const owned = held === null ? firstOnes : firstOnes.filter((each) => held.has(entryOf(each)));
  const { occurrences, following } = await endOccurrences(tx, owned);
  const { instanceId } = tx.node;
  const firedTriggers = owned.map((each) => ({ entryId: entryOf(each) }));
  const [deleted, targets, furtherRuns] = await Promise.all([
    writeRows(tx, 'deleteFirings', firedTriggers, { instanceId }),
    readCompletionTargets(tx, owned),
    planFurtherRuns(tx, [...owned.flatMap((completion) => completion.further ?? []), ...following]),
  ]);
  if (deleted !== owned.length) throw new UnexpectedRows(); // a completion whose row is missing must not change anything
  const further = withoutUnwanted(furtherRuns, owned, targets);
  const stored = new Set(further.map(({ trigger }) => keyText(trigger.key)));
  const runs: EndedRuns = { owned, occurrences, started: startedBy(owned, stored), stored };
  const planned = owned.map((completion, index) => plan(completion, index, targets));
  const completing = completePlanned(tx, planned);
  if (further.length > 0) await completing; // must run first, so that a change to all triggers of a job does not affect the triggers inserted below
  const [, earliestFurther, , deletions, earliestOther] = await Promise.all([
    completing,
    insertFurtherRuns(tx, further), // must precede the deletion of jobs without triggers
    persistJobData(tx, planned, targets.jobData),
    deleteFinished(
      tx,
      planned.flatMap((each) => toFinished(each, targets.over)),
    ),
    completing.then(() => unblock(tx, planned, targets.executing)),
    ...EXTENSIONS.map(({ ended }) => ended?.(tx, runs)),
  ]);
  const freed = await Promise.all(EXTENSIONS.map((extension) => extension.freed?.(tx, runs)));
  const indirect: IndirectEnds[] = [];
  for (const extension of EXTENSIONS)
    if (extension.endedIndirectly) indirect.push(await extension.endedIndirectly(tx, runs));
  const outcomes = outcomesOf(completions, { runs, deletions, indirect });
  const times = [earliestFurther, earliestOther, freed, indirect.map(({ earliest }) => earliest)].flat();
  return { outcomes, earliest: earliestOf(times.map((time) => time ?? null)) };
}

function outcomesOf(
  completions: readonly Completion[],
  { runs, deletions, indirect }: { runs: EndedRuns; deletions: Deletions; indirect: readonly IndirectEnds[] },
): readonly CompletionOutcome[] {
  const carriedOut = new Set(runs.owned);
  return completions.map((each) => {
    if (!carriedOut.has(each)) return FENCED;
    const outcome = withoutStored(outcomeOf(each, deletions), each, runs.stored);
    const own = runs.occurrences.get(each);
    const others = indirect.flatMap(({ by, ended }) => (by === each ? ended : []));
    const ended = own === undefined ? others : [own, ...others];
    return ended.length === 0 ? outcome : { ...outcome, endedOccurrences: ended };
  });
}

/** Leaves out the further runs that must not be stored, see `wantedRuns`. */
function withoutUnwanted(
  further: readonly FurtherRun[],
  owned: readonly Completion[],
  { targets }: CompletionTargets,
): readonly FurtherRun[] {
  const unwanted = new Set(
    owned.flatMap((completion, index) => {
      const wanted = wantedRuns(completion, targets[index]?.TRIGGER_STATE !== null);
      return (completion.further ?? []).filter((each) => !wanted.includes(each)).map(({ key }) => keyText(key));
    }),
  );
  return unwanted.size === 0 ? further : further.filter(({ trigger }) => !unwanted.has(keyText(trigger.key)));
}

/** Adds `notStored` to the outcome: the trigger keys of further runs that could not be stored. Omitted if all were stored. */
function withoutStored(
  outcome: CompletionOutcome,
  { further = [] }: Completion,
  stored: ReadonlySet<string>,
): CompletionOutcome {
  const notStored = further.map(({ key }) => key).filter((key) => !stored.has(keyText(key)));
  return notStored.length === 0 ? outcome : { ...outcome, notStored };
}

/** Returns the occurrences whose parts (shards) are stored. All parts of an occurrence belong to one job, so either all are stored or none. */
function startedBy(owned: readonly Completion[], stored: ReadonlySet<string>): readonly SpreadOccurrence[] {
  return owned.flatMap(({ parts, further = [] }) =>
    parts !== undefined && further.every(({ key }) => stored.has(keyText(key))) ? [parts] : [],
  );
}

function entryOf({ firing }: Completion): string {
  return firing.runId;
}

/** Reads the stored state in one round trip. Must follow the deletion of the fired triggers, or the ending firings would count as executing. */
async function readCompletionTargets(
  tx: NodeTransaction,
  completions: readonly Completion[],
): Promise<CompletionTargets> {
  const keys = completions.map(({ firing }) => [...keyList(firing.jobDetail.key), ...keyList(firing.trigger.key)]);
  const nonConcurrent = completions.filter(({ firing }) => firing.jobDetail.disallowConcurrentExecution);
  const [targets, triggers, jobData, executing, over] = await Promise.all([
    selectOrdered<CompletionTarget>(tx, 'selectCompletionTargets', keys),
    selectCompared(tx, completions),
    selectJobData(tx, completions),
    selectExecutingJobs(tx, jobsOf(nonConcurrent)),
    selectOver(tx, completions.filter(mayEndTrigger)),
  ]);
  return { targets, triggers, jobData, executing, over };
}

function jobsOf(completions: readonly Completion[]): readonly JobKey[] {
  return distinctKeys(completions.map(({ firing }) => firing.jobDetail.key));
}

async function selectCompared(tx: NodeTransaction, completions: readonly Completion[]) {
  const compared = completions.filter(
    ({ instruction }) => instruction === 'SET_TRIGGER_COMPLETE' || instruction === 'SET_TRIGGER_ERROR',
  );
  const keys = compared.map(({ firing }) => firing.trigger.key);
  const triggers = (await selectTriggerRows(tx, keys)).map((row) => readPlainTrigger(row, tx.node));
  return new Map(triggers.flatMap((trigger) => (trigger === null ? [] : [[keyText(trigger.key), trigger]])));
}

/** Locks the jobs whose executions returned data. Throws `StaleRead` if another session has locked one: a wait would stop all firing. */
async function selectJobData(tx: NodeTransaction, completions: readonly Completion[]) {
  type Row = JobName & { readonly DETAIL_DATA: Uint8Array | null };
  const keys = jobsOf(completions.filter(({ jobData }) => jobData !== undefined));
  const rows = await selectByRows<Row>(tx, 'selectUnlockedJobs', keys.map(jobKeyColumns));
  const data = new Map(rows.map((row) => [keyText(jobKeyOf(row)), row.DETAIL_DATA]));
  const others = keys.filter((key) => !data.has(keyText(key)));
  const stored = await selectEachJob(tx, others);
  if (stored.some((row) => row !== null)) throw new StaleRead('selectUnlockedJobs');
  return data;
}

async function selectOver(tx: NodeTransaction, completions: readonly Completion[]) {
  const keys = completions.map(({ firing }) => triggerKeyColumns(firing.trigger.key));
  return new Set((await selectTriggerKeys(tx, 'selectLeftovers', keys)).map(keyText));
}

function plan(completion: Completion, index: number, { targets, triggers }: CompletionTargets): PlannedCompletion {
  const { trigger } = completion.firing;
  const target = targets[index] as CompletionTarget;
  // Most instructions only depend on whether the trigger has another fire time.
  const asFired = target.TRIGGER_STATE === null ? null : { ...trigger, nextFireTime: toTime(target.NEXT_FIRE_TIME) };
  return { completion, target, plan: planCompletion(completion, triggers.get(keyText(trigger.key)) ?? asFired) };
}

/** Stores returned data in the format of the job's row; of two completions, the later wins. Data that the format cannot hold is only reported. */
async function persistJobData(
  tx: NodeTransaction,
  planned: readonly PlannedCompletion[],
  stored: CompletionTargets['jobData'],
): Promise<void> {
  const rows = new Map<string, RowOfSet>();
  for (const { completion, target } of planned) {
    const { key } = completion.firing.jobDetail;
    const { jobData } = completion;
    if (jobData === undefined || !toBoolean(target.IS_UPDATE_DATA)) continue;
    const name = formatKey(key);
    const options = { stored: stored.get(keyText(key)) ?? null, ...dataFormsOf(tx.node), owner: `job '${name}'` };
    const encoded = readable(tx.node, { what: 'job', name }, () => ({
      bytes: encodeJobData(keepPolicy(jobData, options.stored, options.owner), options),
    }));
    if (encoded === null) rows.delete(keyText(key));
    else rows.set(keyText(key), { ...jobKeyColumns(key), jobData: toHex(encoded.bytes) });
  }
  await writeRows(tx, 'updateJobData', [...rows.values()]);
}

/**
 * Returns an array with the trigger if this completion deletes the trigger; otherwise an empty array. A trigger whose job requests recovery is kept
 * while any node executes one of its firings. A recovery would need the job, and the data of both.
 */
function toFinished(
  { completion, plan, target }: PlannedCompletion,
  over: ReadonlySet<string>,
): readonly FinishedTrigger[] {
  const isDeleted = plan.scope === 'trigger' && plan.action === 'delete';
  if (plan.scope !== 'none' && !isDeleted) return []; // the plan changes the trigger in another way
  const { trigger, jobDetail } = completion.firing;
  const isOver = target.TRIGGER_STATE === 'COMPLETE' && toTime(target.NEXT_FIRE_TIME) === null;
  const isKept = isEndedByCalendar({ ...trigger, nextFireTime: null }, completion.firing.fireTime);
  const isFinished = isOver && mayEndTrigger(completion) ? !isKept && over.has(keyText(trigger.key)) : isDeleted;
  if (!isFinished) return [];
  const jobKey = { name: target.JOB_NAME ?? '', group: target.JOB_GROUP ?? '' };
  const mayLeaveOrphan = !toBoolean(target.IS_DURABLE) || !sameKey(jobKey, jobDetail.key);
  return [{ completion, type: target.TRIGGER_TYPE, jobKey, mayLeaveOrphan }];
}

/** Unblocks the triggers of non-concurrent jobs that no longer execute. Returns their earliest fire time; undefined if none was blocked. */
async function unblock(
  tx: NodeTransaction,
  planned: readonly PlannedCompletion[],
  executing: ReadonlySet<string>,
): Promise<EpochMs | undefined> {
  const ended = planned.filter(({ target }) => toBoolean(target.IS_NONCONCURRENT)).map(({ completion }) => completion);
  const unrestricted = ended.filter(({ firing }) => !firing.jobDetail.disallowConcurrentExecution); // became non-concurrent after it fired
  const others = await selectExecutingJobs(tx, jobsOf(unrestricted));
  const idle = jobsOf(ended).filter((key) => !executing.has(keyText(key)) && !others.has(keyText(key)));
  return unblockTriggersOf(tx, idle);
}

/** Moves the triggers of completions to their new states. After a completion that changes all triggers of its job, skips the job's later ones. */
async function completePlanned(tx: NodeTransaction, planned: readonly PlannedCompletion[]) {
  const completedJobs = new Set<string>();
  const before = planned.filter(({ plan, completion }) => {
    const job = keyText(completion.firing.jobDetail.key);
    if (plan.scope === 'job') completedJobs.add(job);
    return !completedJobs.has(job);
  });
  const moved = firstOfEach(before.flatMap(toMove), ({ key }) => keyText(key));
  await moveTriggers(tx, moved);
  const reserved = moved.map(({ key, from }) => ({ key, state: from.TRIGGER_STATE }));
  await endReservations(tx, reserved);
  const rows = planned.flatMap(({ completion, plan }) => {
    if (plan.scope !== 'job') return [];
    return [{ ...jobKeyColumns(completion.firing.jobDetail.key), toState: completedState('WAITING', plan.action) }];
  });
  const first = firstOfEach(rows, ({ jobName, jobGroup }) => keyText({ name: jobName, group: jobGroup }));
  if (first.length === 0) return;
  await writeRows(tx, 'settleTriggersOfJobs', first);
  await writeRows(tx, 'deleteReservationsOfJobs', first);
  const left = await selectByRows(tx, 'selectActiveTriggersOfJobs', first);
  if (left.length > 0) throw new StaleRead('settleTriggersOfJobs'); // another session has locked them: repeat without holding TRIGGER_ACCESS
}

function toMove({ plan, completion, target }: PlannedCompletion) {
  if (plan.scope !== 'trigger' || plan.action === 'delete' || target.TRIGGER_STATE === null) return [];
  const { key } = completion.firing.trigger;
  const before = toState({ TRIGGER_STATE: target.TRIGGER_STATE });
  const state = completedState(before, plan.action);
  const from = { TRIGGER_NAME: key.name, TRIGGER_GROUP: key.group, TRIGGER_STATE: before };
  return state === before ? [] : [{ key, from, state }];
}

function completedState(before: TriggerState, transition: 'complete' | 'fail'): TriggerState {
  return nextState(before, transition, { jobExecuting: false, groupPaused: false });
}
