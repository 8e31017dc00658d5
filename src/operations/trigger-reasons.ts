import type { ExecutingJob, NodeInfo } from '../api/reading';
import type { JobDetail } from '../domain/job-detail';
import { mayRun } from '../domain/job-types';
import { formatKey, type JobKey, sameKey } from '../domain/keys';
import { emptyPlaces } from '../domain/limit-claims';
import { placementOf } from '../domain/placement';
import type { AfterTrigger } from '../domain/trigger';
import type { TriggerState } from '../domain/trigger-state';
import type { FoundTrigger } from '../scheduler/control-reads';
import { pauseSentence } from './views/pause-text';
import { instantAt, instantOf } from './views/plain';

/** Why a trigger does not fire at this moment. Codes are stable for ever. */
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
  'due',
] as const;

export interface Reason {
  readonly code: (typeof REASON_CODES)[number];
  /** What is so, and what could be done. */
  readonly text: string;
}

/** What is known of a trigger and of what surrounds it. */
export interface TriggerCase {
  readonly found: FoundTrigger;
  /** Null: the store has none. */
  readonly job: JobDetail | null;
  /** Its calendar is stored, and this node cannot read it. */
  readonly isCalendarUnreadable: boolean;
  /** Of the jobs that it waits for, those that are not stored. */
  readonly missingJobs: readonly JobKey[];
  readonly nodes: readonly NodeInfo[];
  readonly executing: readonly ExecutingJob[];
  readonly workers: { readonly workers: number; readonly busyWorkers: number };
  /** Epoch milliseconds. */
  readonly now: number;
}

const DORMANT: ReadonlySet<TriggerState> = new Set(['COMPLETE', 'ERROR', 'PAUSED', 'PAUSED_BLOCKED']);

/** Due for less long it may simply be about to fire. Milliseconds. */
const PATIENCE_MS = 5_000;

/** The reasons, the one that counts most first. At least one. */
export function reasonsOf(known: TriggerCase): readonly Reason[] {
  const unreadable = ofUnreadable(known);
  // What cannot be read has no time that could be relied on.
  const timed = unreadable.length > 0 ? [] : [...ofTime(known), ...ofLoad(known), ...ofLimitKey(known)];
  const all = [...unreadable, ...ofState(known), ...ofNodes(known), ...timed];
  if (all.some(({ code }) => code !== 'limitKey')) return all;
  const due = 'Nothing stands in its way: it is due, and the next node that asks will fire it.';
  return [{ code: 'due', text: due }, ...all];
}

/** Rows without which it cannot fire here. */
function ofUnreadable({ found: { trigger }, job, isCalendarUnreadable }: TriggerCase): readonly Reason[] {
  const texts = [
    trigger.unreadable !== undefined && `This node cannot read it: ${trigger.unreadable}`,
    job?.unreadable !== undefined && `This node cannot read its job ${formatKey(trigger.jobKey)}: ${job.unreadable}`,
    isCalendarUnreadable && `This node cannot read its calendar ${trigger.calendarName}. Store the calendar again.`,
  ];
  return texts.flatMap((text) => (text === false ? [] : [{ code: 'unreadable' as const, text }]));
}

function ofState({ found, executing, job }: TriggerCase): readonly Reason[] {
  const { trigger, state } = found;
  const reasons: Reason[] = [];
  if (job === null) reasons.push({ code: 'noJob', text: `Its job ${formatKey(trigger.jobKey)} is not stored.` });
  const sentence = pauseSentence(found);
  if (sentence !== null) {
    reasons.push({ code: 'paused', text: `${sentence} Resume it, its job or its group.` });
  }
  if (state === 'ERROR') {
    const text = 'It is in the state ERROR and does not fire. See why in the log, mend it, then reset it.';
    reasons.push({ code: 'error', text });
  }
  if (state === 'COMPLETE') reasons.push({ code: 'complete', text: 'It has no fire time left.' });
  if (state === 'BLOCKED' || state === 'PAUSED_BLOCKED') {
    const run = executing.find(({ jobKey }) => formatKey(jobKey) === formatKey(trigger.jobKey));
    const which =
      run === undefined
        ? 'No run of it is known: if it stays so, the sweep of a node unblocks it.'
        : `${run.runId} runs on ${run.instanceId} since ${instantOf(run.fireTime)}.`;
    reasons.push({ code: 'blocked', text: `Its job does not run twice at once. ${which}` });
  }
  if (state === 'ACQUIRED') {
    reasons.push({ code: 'acquired', text: 'A node has reserved it and fires it at its time.' });
  }
  return reasons;
}

function ofNodes({ found: { trigger }, job, nodes }: TriggerCase): readonly Reason[] {
  if (nodes.length === 0) {
    return [{ code: 'notStarted', text: 'No node is started. Start a scheduler of this name on this store.' }];
  }
  if (job === null) return [];
  const { jobType } = job;
  const runsOn = placementOf({ trigger, jobDetail: job })?.runsOn ?? [];
  const able = nodes.filter(({ labels, ...node }) =>
    mayRun({ ...node, ...(labels !== null && { labels }) }, { jobType, runsOn }),
  );
  if (able.length === 0) {
    const needed = runsOn.length === 0 ? '' : ` together with the labels ${runsOn.join(', ')}`;
    const text = `No node has the job type ${jobType}${needed}. Register it, or start a node that has it.`;
    return [{ code: 'noNode', text }];
  }
  if (able.every(({ isDraining }) => isDraining)) {
    const names = able.map(({ instanceId }) => instanceId).join(', ');
    return [
      { code: 'nodesDraining', text: `All nodes that can run it drain: ${names}. Undrain one, or start another.` },
    ];
  }
  return [];
}

function ofTime({ found: { trigger, state }, missingJobs, now }: TriggerCase): readonly Reason[] {
  const { nextFireTime, calendarName } = trigger;
  if (trigger.kind === 'AFTER') return [{ code: 'waitsForJobs', text: chainText(trigger, missingJobs) }];
  if (nextFireTime === null) return [];
  // A trigger that is paused or has ended does not wait for its time.
  if (nextFireTime <= now || DORMANT.has(state)) return [];
  const reasons: Reason[] = [{ code: 'later', text: `It is not due: it fires next at ${instantAt(nextFireTime)}.` }];
  if (calendarName !== null) {
    reasons.push({ code: 'calendar', text: `Times that the calendar ${calendarName} excludes are left out.` });
  }
  return reasons;
}

const ENDS = { success: 'succeeded', failure: 'failed', end: 'ended' } as const;

function chainText({ after, on }: AfterTrigger, missingJobs: readonly JobKey[]): string {
  const isMissing = (key: JobKey) => missingJobs.some((each) => sameKey(each, key));
  const names = after.map((key) => (isMissing(key) ? `${formatKey(key)} (not stored)` : formatKey(key)));
  return `It fires when ${after.length === 1 ? 'this job has' : 'these jobs have'} ${ENDS[on]}: ${names.join(', ')}.`;
}

/** A note: it does not keep the trigger from firing, but makes it wait for others. */
function ofLimitKey({ found: { trigger }, job }: TriggerCase): readonly Reason[] {
  const places = job === null ? [] : emptyPlaces({ trigger, jobDetail: job });
  if (places.length === 0) return [];
  const text = `The key of its limit has no value for ${places.join(', ')} in the stored data: firings without one share the limit.`;
  return [{ code: 'limitKey', text }];
}

function ofLoad({ found: { trigger, state }, job, workers, now }: TriggerCase): readonly Reason[] {
  const { nextFireTime } = trigger;
  if (state !== 'WAITING' || nextFireTime === null || nextFireTime > now) return [];
  const reasons: Reason[] = [];
  const policy = { ...job?.policy, ...trigger.policy };
  if (policy.concurrency !== undefined || policy.rate !== undefined) {
    reasons.push({ code: 'limits', text: 'It has a limit or a rate, which may be used up by what runs or began now.' });
  }
  const { workers: size, busyWorkers } = workers;
  if (busyWorkers >= size) {
    reasons.push({ code: 'workersBusy', text: `All ${size} workers of the node that answers are busy.` });
  }
  if (now - nextFireTime > PATIENCE_MS && reasons.length === 0) {
    const text = `It is late by ${Math.round((now - nextFireTime) / 1_000)} s: it fires, or its misfire policy decides, when a node has room.`;
    reasons.push({ code: 'misfire', text });
  }
  return reasons;
}
