import { checkWhole } from '../api/builders/check-arguments';
import { type JobStatus, type RunListOptions, runCursorText, toOngoing, toRun } from '../api/runs';
import type { Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import { refuseUndefined } from '../domain/check-options';
import { checkpointKeyOf } from '../domain/checkpoint';
import { withExplicitVersion } from '../domain/data-version';
import { keptJob } from '../domain/deleted-runs';
import { type ExecutionPolicy, policyOf } from '../domain/execution-policy';
import { type JobKey, keyText } from '../domain/keys';
import { occurrenceOfTrigger } from '../domain/occurrence';
import { rerunTrigger, retryTriggerKey } from '../domain/retry';
import { RETRY_LIMITS, type RetryPolicy, withMaxRetries } from '../domain/retry-policy';
import type { RunQuery, RunRecord } from '../domain/run';
import { detailOf, isRerunnable } from '../domain/run-detail';
import { FAILED_OUTCOMES, statisticsOf } from '../domain/run-statistics';
import type { ScheduleChange } from '../domain/schedule-change';
import type { Trigger } from '../domain/trigger';
import { ACTIVE_STATES } from '../domain/trigger-state';
import type { FailedRunResolution } from '../store/job-store';
import { checkList, toJobKey } from './checked-input';
import { firstTriggers } from './read-pages';
import { checkRunId, toRunQuery } from './run-query';
import type { SchedulerParts } from './scheduler-parts';

const DEAD_LETTERS = { deadLetters: true };

type ListMethods = 'listRuns' | 'getRun' | 'listDeadLetters' | 'listOngoingOccurrences' | 'getJobStatus';

export function runMethods(parts: SchedulerParts): Pick<Scheduler, ListMethods | 'rerun' | 'discard' | 'setRetries'> {
  const { usableStore } = parts;
  const list = async (query: RunQuery) => {
    const { items, next } = await usableStore().listRuns(query);
    return { items: items.map(toRun), next: next === null ? null : runCursorText(next) };
  };
  return {
    listRuns: async (options) => list({ ...DEFAULT_PAGE, ...queryOf(options) }),
    async getRun(runId) {
      const { items } = await usableStore().listRuns({ runIds: [checkRunId(runId)], take: 1 });
      return items[0] === undefined ? null : toRun(items[0]);
    },
    listDeadLetters: async (options) => list({ ...DEFAULT_PAGE, ...queryOf(options), ...DEAD_LETTERS }),
    async listOngoingOccurrences() {
      const occurrences = await usableStore().getOccurrences();
      return [...occurrences].sort((a, b) => a.startTime - b.startTime).map(toOngoing);
    },
    getJobStatus: async (key) => jobStatus(parts, toJobKey(key)),
    rerun: async (which) =>
      changeRuns(parts, toSelection(which, isNamed(which) ? {} : DEAD_LETTERS), ({ runs }) =>
        rerun(parts, runs.filter(isRerunnable)),
      ),
    discard: async (which) => changeRuns(parts, toSelection(which, DEAD_LETTERS), ({ runs }) => discard(parts, runs)),
    async setRetries(which, max) {
      checkWhole(max, 'max', 0, RETRY_LIMITS.max);
      return changeRuns(parts, toSelection(which, { outcomes: FAILED_OUTCOMES }), (chosen) =>
        max === 0 ? endWaiting(parts, chosen.runIds) : limitRetries(parts, chosen, max),
      );
    },
  };
}

const DEFAULT_PAGE = { take: 100 };

/** Maximum number of recent runs from which the status of a job is computed. */
const RUNS_OF_STATUS = 200;

async function jobStatus({ usableStore }: SchedulerParts, jobKey: JobKey): Promise<JobStatus> {
  const store = usableStore();
  const [{ items: runs }, triggers] = await Promise.all([
    store.listRuns({ jobKey, take: RUNS_OF_STATUS, detail: 'none' }),
    firstTriggers(store, { jobKey, states: ACTIVE_STATES, sort: 'nextFireTime', take: 1, omitTotal: true }),
  ]);
  const [lastRun] = runs;
  const lastSuccess = runs.find(({ outcome }) => outcome === 'succeeded') ?? (await olderSuccess());
  const wanted = [lastRun, lastSuccess].filter((run) => run !== undefined);
  const { items: whole } = await store.listRuns({ runIds: wanted.map(({ runId }) => runId), take: 2 });
  const found = (run: RunRecord | undefined) => {
    const record = whole.find(({ runId }) => runId === run?.runId) ?? run;
    return record === undefined ? null : toRun(record);
  };
  return {
    lastRun: found(lastRun),
    lastSuccess: found(lastSuccess),
    runs: runs.length,
    ...statisticsOf(runs),
    nextFireTime: toDate(triggers.items[0]?.trigger.nextFireTime ?? null),
  };

  async function olderSuccess(): Promise<RunRecord | undefined> {
    if (runs.length < RUNS_OF_STATUS) return undefined;
    return (await store.listRuns({ jobKey, outcomes: ['succeeded'], take: 1 })).items[0];
  }
}

/** Selected runs: the runs with the given ids, or at most `atMost` runs that match a filter. */
type Selection =
  | { readonly runIds: readonly string[]; readonly query: Partial<RunQuery> }
  | { readonly atMost: number; readonly query: Partial<RunQuery> };

type WhichRuns = string | readonly string[] | RunListOptions;

function isNamed(which: WhichRuns): which is string | readonly string[] {
  return typeof which === 'string' || (typeof which === 'object' && which !== null && Symbol.iterator in which);
}

function queryOf(options: RunListOptions | undefined): Partial<RunQuery> {
  return options === undefined ? {} : toRunQuery(options);
}

function toSelection(which: WhichRuns, narrowed: Partial<RunQuery>): Selection {
  if (typeof which === 'string') return toSelection([which], narrowed);
  if (isNamed(which)) return { runIds: [...new Set(checkList(which, 'run ids').map(checkRunId))], query: narrowed };
  const { take = Number.POSITIVE_INFINITY, ...query } = toRunQuery(which);
  refuseUndefined(which, OMITTED);
  return { atMost: take, query: { ...narrowed, ...query } };
}

const ALL = 'all of them';

/** Filters of a change. One that is undefined would select every run. */
const OMITTED: Readonly<Record<keyof RunListOptions, string>> = {
  job: ALL,
  jobGroup: ALL,
  jobType: ALL,
  trigger: ALL,
  occurrence: ALL,
  outcome: ALL,
  node: ALL,
  since: ALL,
  until: ALL,
  search: ALL,
  deadLetters: ALL,
  after: 'the first page',
  limit: ALL,
};

/** A page of selected runs. `runIds` may contain ids of runs that are not recorded; `runs` contains the recorded ones. */
interface ChosenRuns {
  readonly runs: readonly RunRecord[];
  readonly runIds: readonly string[];
}

type ChangeOfRuns = (chosen: ChosenRuns) => Promise<number>;

/** Maximum number of runs to change in one transaction. */
const PAGE = 200;

function changeRuns(parts: SchedulerParts, selection: Selection, change: ChangeOfRuns): Promise<number> {
  parts.lifecycle.assertUsable();
  return 'runIds' in selection ? changeNamed(parts, selection, change) : changeMatching(parts, selection, change);
}

async function changeNamed(
  { store }: SchedulerParts,
  { runIds, query }: Extract<Selection, { readonly runIds: unknown }>,
  change: ChangeOfRuns,
): Promise<number> {
  let count = 0;
  for (let start = 0; start < runIds.length; start += PAGE) {
    const page = runIds.slice(start, start + PAGE);
    const { items } = await store.listRuns({ ...query, runIds: page, take: page.length });
    count += await change({ runs: items, runIds: page });
    await yieldToEventLoop();
  }
  return count;
}

/** Changes matching runs, newest first. Ignores runs that end after the operation has begun, so that it does not rerun its own failed reruns. */
async function changeMatching(
  { store, clock }: SchedulerParts,
  { atMost, query }: Extract<Selection, { readonly atMost: unknown }>,
  change: ChangeOfRuns,
): Promise<number> {
  const until = Math.min(query.until ?? Number.POSITIVE_INFINITY, clock.now() + 1);
  let count = 0;
  let after = query.after;
  for (;;) {
    const take = Math.min(PAGE, atMost - count);
    if (take === 0) return count;
    const { items, next } = await store.listRuns({ ...query, until, ...(after === undefined ? {} : { after }), take });
    count += await change({ runs: items, runIds: items.map(({ runId }) => runId) });
    if (next === null) return count;
    after = next;
    await yieldToEventLoop();
  }
}

/** Reruns the runs. `max` is the maximum number of retries after the rerun. If `max` is absent, each run's retry policy applies. */
async function rerun(parts: SchedulerParts, runs: readonly RunRecord[], max?: number): Promise<number> {
  await restoreJobs(parts, runs);
  const retryOf = await retryPolicies(parts, runs);
  const now = parts.clock.now();
  const resolutions = runs.map((run) => {
    const retry = retryOf({ jobKey: run.jobKey, policy: detailOf(run).policy });
    const trigger = rerunTrigger(run, max === undefined ? retry : withMaxRetries(retry, max), now);
    return { endTime: run.endTime, runId: run.runId, rerun: trigger };
  });
  return resolve(parts, 'runsRerun', runs, resolutions);
}

function discard(parts: SchedulerParts, runs: readonly RunRecord[]): Promise<number> {
  const resolutions = runs.map((run) => ({
    endTime: run.endTime,
    runId: run.runId,
    rerun: null,
    checkpoint: checkpointKeyOf({ id: run.occurrenceId, shard: detailOf(run).shard }),
  }));
  return resolve(parts, 'deadLettersDiscarded', runs, resolutions);
}

async function resolve(
  { store, announce }: SchedulerParts,
  type: 'runsRerun' | 'deadLettersDiscarded',
  runs: readonly RunRecord[],
  resolutions: readonly FailedRunResolution[],
): Promise<number> {
  if (runs.length === 0) return 0;
  const answers = await store.resolveFailedRuns(resolutions);
  const done = runs.filter((_, index) => answers[index] === true);
  const names = done.map(({ runId, triggerKey, jobKey }) => ({ runId, triggerKey, jobKey }));
  if (names.length > 0) announce({ type, runs: names });
  return done.length;
}

/** Reruns dead letters and limits the waiting retries of the other runs, so that each run has `max` further retries. */
async function limitRetries(parts: SchedulerParts, { runs, runIds }: ChosenRuns, max: number): Promise<number> {
  const deadLetters = runs.filter(({ isDeadLetter }) => isDeadLetter);
  const later = max - 1; // the rerun or waiting retry is itself the first of the `max` retries
  const count = await rerun(parts, deadLetters, later);
  const isOther = (id: string) => !deadLetters.some(({ runId }) => runId === id);
  return count + (await setWaiting(parts, runIds.filter(isOther), later));
}

/** Limits the further retries of runs with a waiting retry; one that fires during the call keeps its limit. Returns the number of changed retries. */
async function setWaiting(parts: SchedulerParts, runIds: readonly string[], max: number): Promise<number> {
  const { store, writer, clock } = parts;
  const stored = await store.getTriggers(runIds.map(retryTriggerKey));
  const waiting = stored.map(({ trigger }) => trigger).filter(isWaiting);
  if (waiting.length === 0) return 0;
  const retryOf = await retryPolicies(parts, waiting);
  const time = clock.now();
  const changes = waiting.map((trigger): ScheduleChange => {
    const { attempt } = occurrenceOfTrigger(trigger);
    const retry = { ...withMaxRetries(retryOf(trigger), max), from: { attempt, time } };
    const changed = { ...trigger, policy: { ...trigger.policy, retry } };
    // `onlyIfStored` skips a retry that has fired since it was read, because storing its trigger again would fire it twice.
    return {
      type: 'storeTrigger',
      trigger: changed,
      ifExists: 'replace',
      startTimeDefaulted: false,
      onlyIfStored: true,
    };
  });
  return (await writer.apply(changes)).filter(({ nextFireTime }) => nextFireTime !== null).length;
}

/** Deletes the waiting retries of these runs, so that the failed runs become dead letters. A retry that fires during the operation continues. */
async function endWaiting({ writer }: SchedulerParts, runIds: readonly string[]): Promise<number> {
  const keys = runIds.map(retryTriggerKey);
  const outcomes = await writer.apply(keys.map((key) => ({ type: 'deleteTrigger', key, unfired: true })));
  return outcomes.filter(({ status }) => status === 'deleted').length;
}

const isWaiting = ({ nextFireTime, unreadable }: Trigger) => nextFireTime !== null && unreadable === undefined;

interface OfJob {
  readonly jobKey: JobKey;
  readonly policy?: ExecutionPolicy | undefined;
}

/** Returns a function that finds a retry policy: the policy of the run or trigger, otherwise of its job, otherwise of the scheduler. */
async function retryPolicies(
  { store, config }: SchedulerParts,
  ofJobs: readonly OfJob[],
): Promise<(each: OfJob) => RetryPolicy> {
  const keys = new Map(ofJobs.map(({ jobKey }) => [keyText(jobKey), jobKey]));
  const jobs = new Map((await store.getJobs([...keys.values()])).map((job) => [keyText(job.key), job]));
  return ({ jobKey, policy }) => {
    const trigger = policy === undefined ? {} : { policy };
    return policyOf({ trigger, jobDetail: jobs.get(keyText(jobKey)) ?? {} }, config.policy).retry;
  };
}

/** Restores non-durable jobs that were deleted with their last trigger. Does not change jobs that are still stored. */
async function restoreJobs({ writer, registry }: SchedulerParts, runs: readonly RunRecord[]): Promise<void> {
  const changes = runs.flatMap((run): ScheduleChange[] => {
    const stored = keptJob(run);
    if (stored === null) return [];
    // The data keeps the job type's version from the time of the run, which may be older than the registered version.
    const hasVersions = (registry.rulesOf(stored.jobType)?.version ?? 1) > 1;
    const restored = hasVersions ? { ...stored, data: withExplicitVersion(stored.data) } : stored;
    return [{ type: 'storeJob', job: restored, ifExists: 'keep', requireTrigger: false, registeredLater: true }];
  });
  if (changes.length > 0) await writer.apply(changes);
}
