import type { ExecutingJob, NodeInfo } from '../api/reading';
import type { Run } from '../api/runs';
import type { JobDetail } from '../domain/job-detail';
import { mayRun } from '../domain/job-types';
import { formatKey, type JobKey, sameKey } from '../domain/keys';
import { emptyPlaces } from '../domain/limit-claims';
import { placementOf } from '../domain/placement';
import { SCHEDULE_CHANGED } from '../domain/run';
import type { AfterTrigger } from '../domain/trigger';
import { isEndedByCalendar } from '../domain/trigger-end';
import { isAcquired, isBlocked, isComplete, isDormant, isInError, isWaiting } from '../domain/trigger-state';
import type { FoundTrigger } from '../scheduler/control-reads';
import { pauseSentence } from './views/pause-view';
import { instantOf } from './views/plain';

/** Codes of reasons why a trigger is not firing now. The meaning of a code never changes. */
export const REASON_CODES = [
  'notStarted',
  'paused',
  'error',
  'complete',
  'blocked',
  'acquired',
  'waitsForJobs',
  'later',
  'calendar',
  'unreadable',
  'noJob',
  'noNode',
  'nodesDraining',
  'limits',
  'limitKey',
  'workersBusy',
  'misfire',
  'scheduleChanged',
  'due',
] as const;

interface Reason {
  readonly code: (typeof REASON_CODES)[number];
  readonly text: string;
}

/** A trigger and the stored data that may explain why it does not fire: its job, the nodes, and the running jobs. */
interface TriggerCase {
  readonly found: FoundTrigger;
  /** Job of the trigger, or null if the job is not stored. */
  readonly job: JobDetail | null;
  /** True if the trigger's calendar is stored but unreadable on this node. */
  readonly isCalendarUnreadable: boolean;
  /** Jobs that the trigger waits for but that are not stored. */
  readonly missingJobs: readonly JobKey[];
  readonly nodes: readonly NodeInfo[];
  readonly executing: readonly ExecutingJob[];
  /** Record of its last misfired fire time; null if there is none. */
  readonly missed: Pick<Run, 'scheduledFireTime' | 'endTime' | 'error'> | null;
  readonly workers: { readonly workers: number; readonly busyWorkers: number };
  /** Current time in epoch milliseconds. */
  readonly now: number;
}

/** Lateness in milliseconds up to which a due trigger is expected to fire shortly. */
const MAX_LATENESS_MS = 5_000;

/** Returns the reasons why the trigger is not firing, most important first. Returns the reason `due` if nothing prevents it from firing. */
export function reasonsOf(known: TriggerCase): readonly Reason[] {
  const unreadable = ofUnreadable(known);
  // The fire time of an unreadable trigger cannot be trusted.
  const timed = unreadable.length > 0 ? [] : [...ofTime(known), ...ofLoad(known), ...ofLimitKey(known)];
  const all = [...unreadable, ...ofState(known), ...ofNodes(known), ...timed];
  const dropped = ofChange(known);
  if (all.some(({ code }) => code !== 'limitKey')) return [...all, ...dropped];
  const due = 'Nothing prevents it from firing. It is due, and the next node that polls fires it.';
  return [{ code: 'due', text: due }, ...all, ...dropped];
}

/** A due fire time that a change of the schedule has dropped since the trigger fired last. */
function ofChange({ found: { trigger }, missed }: TriggerCase): readonly Reason[] {
  if (missed === null || missed.error !== SCHEDULE_CHANGED) return [];
  if (missed.endTime.getTime() < (trigger.previousFireTime ?? 0)) return [];
  const [time, changed] = [instantOf(missed.scheduledFireTime), instantOf(missed.endTime)];
  const text = `It did not fire at ${time}: the schedule was changed at ${changed}, and the new one does not have this fire time.`;
  return [{ code: 'scheduleChanged', text }];
}

function ofUnreadable({ found: { trigger }, job, isCalendarUnreadable }: TriggerCase): readonly Reason[] {
  const texts = [
    trigger.unreadable !== undefined && `This node cannot read the trigger: ${trigger.unreadable}`,
    job?.unreadable !== undefined && `This node cannot read its job ${formatKey(trigger.jobKey)}: ${job.unreadable}`,
    isCalendarUnreadable && `This node cannot read its calendar ${trigger.calendarName}. Save the calendar again.`,
  ];
  return texts.flatMap((text) => (text === false ? [] : [{ code: 'unreadable' as const, text }]));
}

function ofState({ found, executing, job, now }: TriggerCase): readonly Reason[] {
  const { trigger, state } = found;
  const reasons: Reason[] = [];
  if (job === null)
    reasons.push({
      code: 'noJob',
      text: `Its job ${formatKey(trigger.jobKey)} does not exist. Add the job, or remove the trigger.`,
    });
  const sentence = pauseSentence(found);
  if (sentence !== null) {
    reasons.push({ code: 'paused', text: `${sentence} Resume the trigger, its job or its group.` });
  }
  if (isInError(state)) {
    const text = 'It is in the state ERROR. Find the cause in the log, fix it, then reset the trigger.';
    reasons.push({ code: 'error', text });
  }
  if (isComplete(state) && trigger.unreadable === undefined && isEndedByCalendar(trigger, now)) {
    const text = `Its calendar ${trigger.calendarName} excludes all its further fire times. It fires again when the calendar changes.`;
    reasons.push({ code: 'calendar', text });
  } else if (isComplete(state)) reasons.push({ code: 'complete', text: 'It has no fire times left.' });
  if (isBlocked(state)) {
    const run = executing.find(({ jobKey }) => formatKey(jobKey) === formatKey(trigger.jobKey));
    const which =
      run === undefined
        ? 'No such run is known. If this continues, the sweeper of a node unblocks the trigger.'
        : `Run ${run.runId} started on ${run.instanceId} at ${instantOf(run.fireTime)}.`;
    reasons.push({ code: 'blocked', text: `Its job is running and does not allow concurrent runs. ${which}` });
  }
  if (isAcquired(state)) {
    reasons.push({ code: 'acquired', text: 'A node has acquired it and fires it at its fire time.' });
  }
  return reasons;
}

function ofNodes({ found: { trigger }, job, nodes }: TriggerCase): readonly Reason[] {
  if (nodes.length === 0) {
    return [{ code: 'notStarted', text: 'No node has started. Start a scheduler with this name on this store.' }];
  }
  if (job === null) return [];
  const { jobType } = job;
  const runsOn = placementOf({ trigger, jobDetail: job })?.runsOn ?? [];
  const able = nodes.filter(({ labels, ...node }) =>
    mayRun({ ...node, ...(labels !== null && { labels }) }, { jobType, runsOn }),
  );
  if (able.length === 0) {
    const needed = runsOn.length === 0 ? '' : ` and the labels ${runsOn.join(', ')}`;
    const text = `No node has the job type ${jobType}${needed}. Register the job type, or start a node that has it.`;
    return [{ code: 'noNode', text }];
  }
  if (able.every(({ isDraining }) => isDraining)) {
    const names = able.map(({ instanceId }) => instanceId).join(', ');
    return [
      {
        code: 'nodesDraining',
        text: `All nodes that can run it are draining: ${names}. Undrain one, or start another.`,
      },
    ];
  }
  return [];
}

function ofTime({ found: { trigger, state }, missingJobs, now }: TriggerCase): readonly Reason[] {
  const { nextFireTime, calendarName } = trigger;
  if (trigger.kind === 'AFTER') return [{ code: 'waitsForJobs', text: chainText(trigger, missingJobs) }];
  if (nextFireTime === null) return [];
  // A paused or ended trigger is not waiting for its fire time.
  if (nextFireTime <= now || isDormant(state)) return [];
  const reasons: Reason[] = [
    { code: 'later', text: `It is not due. Its next fire time is ${instantOf(nextFireTime)}.` },
  ];
  if (calendarName !== null) {
    reasons.push({ code: 'calendar', text: `Times that the calendar ${calendarName} excludes are skipped.` });
  }
  return reasons;
}

const ENDS = { success: 'succeeded', failure: 'failed', end: 'ended' } as const;

function chainText({ after, on }: AfterTrigger, missingJobs: readonly JobKey[]): string {
  const isMissing = (key: JobKey) => missingJobs.some((each) => sameKey(each, key));
  const names = after.map((key) => (isMissing(key) ? `${formatKey(key)} (not stored)` : formatKey(key)));
  return `It fires when ${after.length === 1 ? 'this job has' : 'these jobs have all'} ${ENDS[on]}: ${names.join(', ')}.`;
}

/** Returns a note if the key of the trigger's limit has unfilled placeholders. The trigger fires, but shares its limit with other firings. */
function ofLimitKey({ found: { trigger }, job }: TriggerCase): readonly Reason[] {
  const places = job === null ? [] : emptyPlaces({ trigger, jobDetail: job });
  if (places.length === 0) return [];
  const text = `The stored data has no value for ${places.join(', ')} in the key of its limit. All firings without a value share one limit.`;
  return [{ code: 'limitKey', text }];
}

function ofLoad({ found: { trigger, state }, job, workers, now }: TriggerCase): readonly Reason[] {
  const { nextFireTime } = trigger;
  if (!isWaiting(state) || nextFireTime === null || nextFireTime > now) return [];
  const reasons: Reason[] = [];
  const policy = { ...job?.policy, ...trigger.policy };
  if (policy.concurrency !== undefined || policy.rate !== undefined) {
    reasons.push({ code: 'limits', text: 'It has a concurrency limit or a rate, which other runs may have used up.' });
  }
  const { workers: size, busyWorkers } = workers;
  if (busyWorkers >= size) {
    reasons.push({ code: 'workersBusy', text: `The node that answered has no free worker (${size} in use).` });
  }
  if (now - nextFireTime > MAX_LATENESS_MS && reasons.length === 0) {
    const text = `It is ${Math.round((now - nextFireTime) / 1_000)} s late. When a node has a free worker, it fires or its misfire policy applies.`;
    reasons.push({ code: 'misfire', text });
  }
  return reasons;
}
