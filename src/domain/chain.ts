import type { EpochMs } from '../base/clock';
import { badTrigger, type SchedulerError } from '../base/errors';
import { addAll } from '../base/lists';
import type { EndedRun } from './completion';
import { type JobData, withoutKeys } from './job-data';
import { compareKeys, DEFAULT_GROUP, formatKey, type JobKey, keyText, sameKey, type TriggerKey } from './keys';
import { CHAINED_JOBS, isGroupOfFurtherRuns, occurrenceData } from './occurrence';
import type { RunOutcome } from './run';
import type { ChangeSet } from './schedule-change';
import {
  type AfterTrigger,
  type ChainOutcome,
  MAX_INT,
  oneShotTrigger,
  type SimpleTrigger,
  type Trigger,
} from './trigger';
import { MAX_ENDED } from './triggers/after-trigger';

/* Chained jobs: an AFTER trigger never becomes due. When a run's end fulfils it, the same transaction stores a one-shot trigger for its job. */

const COUNTED: Readonly<Partial<Record<RunOutcome, Exclude<ChainOutcome, 'end'>>>> = {
  succeeded: 'success',
  failed: 'failure',
  timedOut: 'failure',
  interrupted: 'failure',
};

/** True if the end of a run fulfils the condition `on` of an AFTER trigger. Skipped runs, and runs that will be retried, do not count. */
function counts(on: ChainOutcome, { end }: EndedRun): boolean {
  const counted = COUNTED[end.outcome];
  return counted !== undefined && end.isFinal && (on === 'end' || on === counted);
}

interface ChainPlan {
  /** AFTER triggers whose counters changed, in their new state. */
  readonly changed: readonly AfterTrigger[];
  /** One-shot triggers that run the chained jobs. They are due at the end time of the run that started them. */
  readonly starts: readonly SimpleTrigger[];
}

/** Plans the chained jobs to start. `waiting`: unpaused AFTER triggers that wait for any of these jobs. `ended`: runs, in the order of their ends. */
export function planChains(waiting: readonly AfterTrigger[], ended: readonly EndedRun[]): ChainPlan {
  const ordered = [...waiting].sort((a, b) => compareKeys(a.key, b.key)); // sorted, so that all stores use the same order
  const present = new Map(ordered.map((trigger) => [keyText(trigger.key), trigger]));
  const changed = new Map<string, AfterTrigger>();
  const starts: SimpleTrigger[] = [];
  for (const run of ended) {
    let number = 0;
    for (const [text, trigger] of present) {
      const index = trigger.after.findIndex((parent) => sameKey(parent, run.jobKey));
      if (index < 0 || !counts(trigger.on, run)) continue;
      const counted = withEnd(trigger, index);
      const mayStart = counted.ended.every((count) => count > 0);
      const next = mayStart ? afterStart(counted, run.end.endTime) : counted;
      present.set(text, next);
      changed.set(text, next);
      if (mayStart) starts.push(startOf(next, run, number++));
    }
  }
  return { changed: [...changed.values()], starts };
}

function withEnd(trigger: AfterTrigger, index: number): AfterTrigger {
  const ended = trigger.ended.map((count, place) => (place === index ? Math.min(count + 1, MAX_ENDED) : count));
  return { ...trigger, ended };
}

/** Returns the AFTER trigger after it has started its job: each counter of ended runs decreases by one. */
function afterStart(trigger: AfterTrigger, time: EpochMs): AfterTrigger {
  const ended = trigger.ended.map((count) => count - 1);
  const timesTriggered = Math.min(trigger.timesTriggered + 1, MAX_INT);
  return { ...trigger, ended, timesTriggered, previousFireTime: time };
}

/** Returns the one-shot trigger of the chained job. Its name contains the id of the run that ended, so the same start cannot be stored twice. */
function startOf(trigger: AfterTrigger, run: EndedRun, number: number): SimpleTrigger {
  const { endTime } = run.end;
  const occurrence = { id: null, triggerKey: trigger.key, scheduledTime: endTime, attempt: 1 };
  const key = { group: CHAINED_JOBS, name: `chain_${run.runId}_${number}` };
  const data = { ...trigger.data, ...occurrenceData(occurrence), ...originData(run) };
  return oneShotTrigger(key, endTime, { ...trigger, data }, trigger.policy);
}

/** Run whose end started a chained run. If the AFTER trigger waited for several jobs, this is the run that ended last. */
export interface RunOrigin {
  /** Job of the run that ended. */
  readonly jobKey: JobKey;
  /** Id of the run that ended, as in `runId` and the run history. */
  readonly runId: string;
  /** Outcome of the run that ended. */
  readonly outcome: RunOutcome;
}

/** Data keys in the trigger of a chained run. They describe the run whose end started the chained run. All values are strings. */
const ORIGIN_JOB_NAME = 'QRTZ_X_ORIGIN_JOB_NAME';
const ORIGIN_JOB_GROUP = 'QRTZ_X_ORIGIN_JOB_GROUP';
const ORIGIN_RUN_ID = 'QRTZ_X_ORIGIN_RUN_ID';
const ORIGIN_OUTCOME = 'QRTZ_X_ORIGIN_OUTCOME';

function originData({ jobKey, runId, end }: EndedRun): JobData {
  return {
    [ORIGIN_JOB_NAME]: jobKey.name,
    [ORIGIN_JOB_GROUP]: jobKey.group,
    [ORIGIN_RUN_ID]: runId,
    [ORIGIN_OUTCOME]: end.outcome,
  };
}

/** Returns the run whose end started a chained run, also for its retries and reruns. Null if no chain started the trigger's run. */
export function originOf({ key, data }: Pick<Trigger, 'key' | 'data'>): RunOrigin | null {
  if (!isGroupOfFurtherRuns(key.group)) return null;
  const {
    [ORIGIN_JOB_NAME]: name,
    [ORIGIN_JOB_GROUP]: group,
    [ORIGIN_RUN_ID]: runId,
    [ORIGIN_OUTCOME]: outcome,
  } = data;
  if (typeof name !== 'string' || typeof group !== 'string' || typeof runId !== 'string') return null;
  return { jobKey: { group, name }, runId, outcome: outcome as RunOutcome };
}

/** Returns the data without the keys of `RunOrigin`. Jobs receive the data in this form. */
export function withoutOrigin(data: JobData): JobData {
  return data[ORIGIN_RUN_ID] === undefined ? data : withoutKeys(data, ['QRTZ_X_ORIGIN_']);
}

/** Key of an AFTER trigger, its job, and the jobs whose ends it waits for. */
export interface ChainLink {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  readonly after: readonly JobKey[];
}

export function linksIn(changes: ChangeSet): readonly AfterTrigger[] {
  return changes.flatMap((change) =>
    (change.type === 'storeTrigger' || change.type === 'replaceTrigger') && change.trigger.kind === 'AFTER'
      ? [change.trigger]
      : [],
  );
}

/** Throws INVALID_TRIGGER if any of `jobs` waits for its own end, directly or through other jobs. Linear in the number of jobs and links. */
export function refuseCycles(jobs: readonly JobKey[], links: readonly ChainLink[]): void {
  const parents = new Map<string, JobKey[]>();
  for (const { jobKey, after } of links) {
    const text = keyText(jobKey);
    const known = parents.get(text);
    if (known === undefined) parents.set(text, [...after]);
    else addAll(known, after);
  }
  const circular = jobsInCycles(jobs, parents);
  const job = jobs.find((each) => circular.has(keyText(each)));
  const cycle = job === undefined ? null : cycleOf(job, parents);
  if (cycle !== null) throw cyclic(cycle);
}

type Parents = ReadonlyMap<string, readonly JobKey[]>;

/** A job on the current search path, and the index of its next parent to visit. */
interface Step {
  readonly text: string;
  readonly index: number;
  lowest: number;
  next: number;
}

/** Returns the jobs of cycles reachable from `jobs`, by Tarjan's algorithm for strongly connected components, without recursion. */
function jobsInCycles(jobs: readonly JobKey[], parents: Parents): ReadonlySet<string> {
  const indices = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found = new Set<string>();
  /** Completes the strongly connected component of `first`. It is a cycle if it has several jobs, or one job that waits for itself. */
  const close = (first: string) => {
    const members = open.splice(open.lastIndexOf(first));
    const isCycle = members.length > 1 || parents.get(first)?.some((parent) => keyText(parent) === first) === true;
    for (const text of members) {
      isOpen.delete(text);
      if (isCycle) found.add(text);
    }
  };
  for (const job of jobs) {
    if (indices.has(keyText(job))) continue;
    const path: Step[] = [];
    const enter = (text: string) => {
      path.push({ text, index: indices.size, lowest: indices.size, next: 0 });
      indices.set(text, indices.size);
      open.push(text);
      isOpen.add(text);
    };
    enter(keyText(job));
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const parent = parents.get(step.text)?.[step.next++];
      if (parent === undefined) {
        path.pop();
        const below = path.at(-1);
        if (below !== undefined) below.lowest = Math.min(below.lowest, step.lowest);
        if (step.lowest === step.index) close(step.text);
        continue;
      }
      const text = keyText(parent);
      const index = indices.get(text);
      if (index === undefined) enter(text);
      else if (isOpen.has(text)) step.lowest = Math.min(step.lowest, index);
    }
  }
  return found;
}

/** Returns a path from a job back to itself, in the order in which the jobs would run. Null if there is no such path. */
function cycleOf(job: JobKey, parents: Parents): readonly JobKey[] | null {
  const cameFrom = new Map<string, JobKey>(); // next job on the path back to `job`
  const open = [job];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const parent of parents.get(keyText(at)) ?? []) {
      const text = keyText(parent);
      if (cameFrom.has(text)) continue;
      cameFrom.set(text, at);
      if (sameKey(parent, job)) return wayBack(job, cameFrom);
      open.push(parent);
    }
  }
  return null;
}

function wayBack(job: JobKey, cameFrom: ReadonlyMap<string, JobKey>): readonly JobKey[] {
  const way = [job];
  for (let at = cameFrom.get(keyText(job)); at !== undefined; at = cameFrom.get(keyText(at))) {
    way.push(at);
    if (sameKey(at, job)) break;
  }
  return way;
}

function cyclic(cycle: readonly JobKey[]): SchedulerError {
  const nameOf = (key: JobKey) => (key.group === DEFAULT_GROUP ? key.name : formatKey(key));
  return badTrigger(
    `Expected chains without a cycle, found ${cycle.map(nameOf).join(' → ')}. Remove one of these chains.`,
  );
}
