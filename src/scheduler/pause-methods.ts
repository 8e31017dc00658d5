import type { PauseOptions, PauseReport, ResumeOptions } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { checkOptions } from '../domain/check-options';
import { checkText, invalidArgument, timeOf } from '../domain/check-text';
import { formatKey, GroupMatcher, type JobKey, type TriggerKey } from '../domain/keys';
import { LIMITS } from '../domain/limits';
import type { PauseExplanation } from '../domain/pause';
import type { ApplyOptions } from '../store/job-store';
import { changeAndConfirm } from './change-and-confirm';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import { toListedPause } from './read-methods';
import type { EventInput } from './schedule-events';
import type { SchedulerParts } from './scheduler-parts';

/**
 * Methods that pause and resume triggers and jobs. A pause resolves when every node has begun the jobs of its earlier firings; no paused job begins
 * after that. The result names the nodes that did not confirm within 5 s.
 */
export function pauseMethods(parts: SchedulerParts) {
  return { ...pausing(parts), ...resuming(parts) };
}

type Pausing = Pick<Scheduler, Extract<keyof Scheduler, `pause${string}`> | 'listPauses'>;

function pausing(parts: SchedulerParts): Pausing {
  const { store, usableStore } = parts;
  const methods: Pausing = {
    async pauseTriggers(given, options) {
      const matcher = checkMatcher(given);
      return pause(parts, options, (why) => store.pauseTriggers(matcher, why), [{ type: 'triggersPaused', matcher }]);
    },
    pauseAll: (options) => methods.pauseTriggers(GroupMatcher.anyGroup(), options),
    async pauseTrigger(key, options) {
      const triggerKey = toTriggerKey(key);
      const write = async (why?: PauseExplanation) =>
        requireStored('trigger', triggerKey, await store.pauseTriggers([triggerKey], why));
      return pause(parts, options, write, [{ type: 'triggerPaused', triggerKey }]);
    },
    async pauseJob(key, options) {
      const jobKey = toJobKey(key);
      const write = async (why?: PauseExplanation) =>
        requireStored('job', jobKey, await store.pauseJobs([jobKey], why));
      return pause(parts, options, write, [{ type: 'jobPaused', jobKey }]);
    },
    async pauseJobs(given, options) {
      const matcher = checkMatcher(given);
      return pause(parts, options, (why) => store.pauseJobs(matcher, why), [{ type: 'jobsPaused', matcher }]);
    },
    async listPauses() {
      const pauses = await usableStore().getPauses();
      return [...pauses].sort((a, b) => a.since - b.since).map(toListedPause);
    },
  };
  return methods;
}

type Resuming = Pick<Scheduler, Extract<keyof Scheduler, `resume${string}`> | 'resetTriggerFromErrorState'>;

function resuming({ usableStore, writer, announce }: SchedulerParts): Resuming {
  const methods: Resuming = {
    async resumeTriggers(given, options) {
      const matcher = checkMatcher(given);
      await usableStore().resumeTriggers(matcher, resumeOptions(writer.options(), options));
      announce({ type: 'triggersResumed', matcher });
    },
    resumeAll: (options) => methods.resumeTriggers(GroupMatcher.anyGroup(), options),
    async resumeTrigger(key) {
      const triggerKey = toTriggerKey(key);
      requireStored('trigger', triggerKey, await usableStore().resumeTriggers([triggerKey], writer.options()));
      announce({ type: 'triggerResumed', triggerKey });
    },
    async resumeJob(key, options) {
      const jobKey = toJobKey(key);
      const resume = resumeOptions(writer.options(), options);
      requireStored('job', jobKey, await usableStore().resumeJobs([jobKey], resume));
      announce({ type: 'jobResumed', jobKey });
    },
    async resumeJobs(given, options) {
      const matcher = checkMatcher(given);
      await usableStore().resumeJobs(matcher, resumeOptions(writer.options(), options));
      announce({ type: 'jobsResumed', matcher });
    },
    async resetTriggerFromErrorState(key) {
      const triggerKey = toTriggerKey(key);
      requireStored('trigger', triggerKey, await usableStore().resetTriggersFromError([triggerKey]));
    },
  };
  return methods;
}

/** Returns the options of the store for resuming groups or jobs. Throws INVALID_ARGUMENT. */
function resumeOptions(options: ApplyOptions, given: ResumeOptions = {}) {
  const { alsoSingle = true } = checkOptions(given, { alsoSingle: true });
  if (typeof alsoSingle !== 'boolean') throw invalidArgument('true or false as alsoSingle', alsoSingle);
  return alsoSingle ? options : { ...options, keepsSingle: true as const };
}

/** Pauses and resumes many triggers by key, in one transaction per call. Ignores keys without a stored trigger. */
export interface PausesMany {
  pauseTriggers(keys: readonly TriggerKey[], options: PauseOptions): Promise<PauseReport>;
  resumeTriggers(keys: readonly TriggerKey[]): Promise<void>;
}

export function pausesMany(parts: SchedulerParts): PausesMany {
  const { store, usableStore, writer, announce } = parts;
  const eventsOf = (type: 'triggerPaused' | 'triggerResumed', keys: readonly TriggerKey[]) =>
    keys.map((triggerKey): EventInput => ({ type, triggerKey }));
  return {
    pauseTriggers: async (keys, options) =>
      pause(parts, options, (why) => store.pauseTriggers(keys, why), eventsOf('triggerPaused', keys)),
    async resumeTriggers(keys) {
      await usableStore().resumeTriggers(keys, writer.options());
      eventsOf('triggerResumed', keys).forEach(announce);
    },
  };
}

const PAUSE_OPTIONS = { reason: true, by: true, until: true, holdRetries: true } as const;

/** Returns the explanation of a pause: its reason, author, start and end. Undefined if no option requires one. Throws INVALID_ARGUMENT. */
function explanationOf({ clock }: SchedulerParts, options: PauseOptions = {}): PauseExplanation | undefined {
  const { reason, by, until, holdRetries = true } = checkOptions(options, PAUSE_OPTIONS);
  if (typeof holdRetries !== 'boolean') throw invalidArgument('true or false as holdRetries', holdRetries);
  if (reason === undefined && by === undefined && until === undefined && holdRetries) return undefined;
  const now = clock.now();
  const end = until === undefined ? null : timeOf(until, 'a valid Date as until');
  if (end !== null && end <= now) throw invalidArgument('a future time as until', until);
  return {
    reason: reason === undefined ? null : checkText(reason, 'the reason of a pause', LIMITS.pauseReason),
    by: by === undefined ? null : checkText(by, 'the author of a pause (by)', LIMITS.pausedBy),
    since: now,
    until: end,
    ...(!holdRetries && { holdsRetries: false }),
  };
}

async function pause(
  parts: SchedulerParts,
  options: PauseOptions | undefined,
  write: (explanation?: PauseExplanation) => Promise<unknown>,
  events: readonly EventInput[],
): Promise<PauseReport> {
  const { announce, lifecycle, pauseEnds } = parts;
  const explanation = explanationOf(parts, options);
  lifecycle.assertUsable();
  const unconfirmed = await changeAndConfirm(parts, async () => {
    await write(explanation);
    if (explanation !== undefined && explanation.until !== null) pauseEnds.expect(explanation.until);
  });
  events.forEach(announce);
  return { unconfirmed };
}

const NOT_STORED = {
  trigger: { code: 'TRIGGER_NOT_FOUND', list: 'listTriggers()' },
  job: { code: 'JOB_NOT_FOUND', list: 'listJobs()' },
} as const;

/** Throws TRIGGER_NOT_FOUND or JOB_NOT_FOUND if `groups`, the result of the change, is empty: changing a missing one must not seem to succeed. */
function requireStored(what: 'trigger' | 'job', key: JobKey | TriggerKey, groups: readonly string[]): void {
  if (groups.length > 0) return;
  const { code, list } = NOT_STORED[what];
  const message = `There is no ${what} '${formatKey(key)}'. Check its name and group: ${list} lists the stored ${what}s.`;
  throw new SchedulerError(code, message);
}
