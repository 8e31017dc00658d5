import type { PauseOptions } from '../api/reading';
import type { PauseReport, Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { checkOptions } from '../domain/check-options';
import { checkText, invalidArgument, timeOf } from '../domain/check-text';
import { formatKey, GroupMatcher, type JobKey, type TriggerKey } from '../domain/keys';
import { LIMITS } from '../domain/limits';
import type { PauseExplanation } from '../domain/pause';
import { changeAndConfirm } from './change-and-confirm';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import { toListedPause } from './read-methods';
import type { EventInput } from './schedule-events';
import type { SchedulerParts } from './scheduler-parts';

type PauseMethods = Pick<
  Scheduler,
  Extract<keyof Scheduler, `pause${string}` | `resume${string}`> | 'listPauses' | 'resetTriggerFromErrorState'
>;

/**
 * Methods that pause and resume triggers and jobs. A pause resolves when every node has begun the jobs of its earlier firings; no paused job begins
 * after that. The result names the nodes that did not confirm within 5 s.
 */
export function pauseMethods(parts: SchedulerParts): PauseMethods {
  return { ...pausing(parts), ...resuming(parts) };
}

type Pausing = Extract<keyof PauseMethods, `pause${string}`> | 'listPauses';

function pausing(parts: SchedulerParts): Pick<PauseMethods, Pausing> {
  const { store, lifecycle } = parts;
  const methods: Pick<PauseMethods, Pausing> = {
    async pauseTriggers(given, options) {
      const matcher = checkMatcher(given);
      const explanation = explanationOf(parts, options);
      return pause(parts, explanation, () => store.pauseTriggers(matcher, explanation), [
        { type: 'triggersPaused', matcher },
      ]);
    },
    pauseAll: (options) => methods.pauseTriggers(GroupMatcher.anyGroup(), options),
    async pauseTrigger(key, options) {
      const triggerKey = toTriggerKey(key);
      const explanation = explanationOf(parts, options);
      const write = async () => requireTrigger(triggerKey, await store.pauseTriggers([triggerKey], explanation));
      return pause(parts, explanation, write, [{ type: 'triggerPaused', triggerKey }]);
    },
    async pauseJob(key, options) {
      const jobKey = toJobKey(key);
      const explanation = explanationOf(parts, options);
      const write = async () => requireJob(jobKey, await store.pauseJobs([jobKey], explanation));
      return pause(parts, explanation, write, [{ type: 'jobPaused', jobKey }]);
    },
    async pauseJobs(given, options) {
      const matcher = checkMatcher(given);
      const explanation = explanationOf(parts, options);
      return pause(parts, explanation, () => store.pauseJobs(matcher, explanation), [{ type: 'jobsPaused', matcher }]);
    },
    async listPauses() {
      lifecycle.assertUsable();
      const pauses = await store.getPauses();
      return [...pauses].sort((a, b) => a.since - b.since).map(toListedPause);
    },
  };
  return methods;
}

function resuming(parts: SchedulerParts): Omit<PauseMethods, Pausing> {
  const { store, writer, lifecycle } = parts;
  const methods: Omit<PauseMethods, Pausing> = {
    async resumeTriggers(given) {
      const matcher = checkMatcher(given);
      const write = () => store.resumeTriggers(matcher, writer.options());
      return resume(parts, write, [{ type: 'triggersResumed', matcher }]);
    },
    resumeAll: () => methods.resumeTriggers(GroupMatcher.anyGroup()),
    async resumeTrigger(key) {
      const triggerKey = toTriggerKey(key);
      const write = async () => requireTrigger(triggerKey, await store.resumeTriggers([triggerKey], writer.options()));
      return resume(parts, write, [{ type: 'triggerResumed', triggerKey }]);
    },
    async resumeJob(key) {
      const jobKey = toJobKey(key);
      const write = async () => requireJob(jobKey, await store.resumeJobs([jobKey], writer.options()));
      return resume(parts, write, [{ type: 'jobResumed', jobKey }]);
    },
    async resumeJobs(given) {
      const matcher = checkMatcher(given);
      return resume(parts, () => store.resumeJobs(matcher, writer.options()), [{ type: 'jobsResumed', matcher }]);
    },
    async resetTriggerFromErrorState(key) {
      const triggerKey = toTriggerKey(key);
      lifecycle.assertUsable();
      requireTrigger(triggerKey, await store.resetTriggersFromError([triggerKey]));
    },
  };
  return methods;
}

/** Pauses and resumes many triggers by key, in one transaction per call. Ignores keys without a stored trigger. */
export interface PausesMany {
  pauseTriggers(keys: readonly TriggerKey[], options: PauseOptions): Promise<PauseReport>;
  resumeTriggers(keys: readonly TriggerKey[]): Promise<void>;
}

export function pausesMany(parts: SchedulerParts): PausesMany {
  const { store, writer } = parts;
  const eventsOf = (type: 'triggerPaused' | 'triggerResumed', keys: readonly TriggerKey[]) =>
    keys.map((triggerKey): EventInput => ({ type, triggerKey }));
  return {
    async pauseTriggers(keys, options) {
      const explanation = explanationOf(parts, options);
      return pause(parts, explanation, () => store.pauseTriggers(keys, explanation), eventsOf('triggerPaused', keys));
    },
    async resumeTriggers(keys) {
      const write = () => store.resumeTriggers(keys, writer.options());
      return resume(parts, write, eventsOf('triggerResumed', keys));
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

type Write = () => Promise<unknown>;

async function pause(
  parts: SchedulerParts,
  explanation: PauseExplanation | undefined,
  write: Write,
  events: readonly EventInput[],
): Promise<PauseReport> {
  const { announce, lifecycle, pauseEnds } = parts;
  lifecycle.assertUsable();
  const unconfirmed = await changeAndConfirm(parts, async () => {
    await write();
    if (explanation !== undefined && explanation.until !== null) pauseEnds.expect(explanation.until);
  });
  events.forEach(announce);
  return { unconfirmed };
}

async function resume(
  { announce, lifecycle }: SchedulerParts,
  write: Write,
  events: readonly EventInput[],
): Promise<void> {
  lifecycle.assertUsable();
  await write();
  events.forEach(announce);
}

/** Throws TRIGGER_NOT_FOUND if `groups`, the result of the change, is empty: pausing a missing trigger must not seem to succeed. */
function requireTrigger(key: TriggerKey, groups: readonly string[]): void {
  if (groups.length === 0) throw new SchedulerError('TRIGGER_NOT_FOUND', notStored('trigger', key, 'listTriggers()'));
}

/** Throws JOB_NOT_FOUND, for the same reason as `requireTrigger`. */
function requireJob(key: JobKey, groups: readonly string[]): void {
  if (groups.length === 0) throw new SchedulerError('JOB_NOT_FOUND', notStored('job', key, 'listJobs()'));
}

function notStored(what: string, key: JobKey | TriggerKey, list: string): string {
  return `There is no ${what} '${formatKey(key)}'. Check its name and group: ${list} lists the stored ${what}s.`;
}
