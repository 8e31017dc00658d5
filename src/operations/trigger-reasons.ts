import type { ExecutingJob, NodeInfo } from '../api/reading';
import type { JobDetail } from '../domain/job-detail';
import { mayRun } from '../domain/job-types';
import { formatKey } from '../domain/keys';
import { placementOf } from '../domain/placement';
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
  const all = [...ofState(known), ...ofNodes(known), ...ofTime(known), ...ofLoad(known)];
  if (all.length > 0) return all;
  return [{ code: 'due', text: 'Nothing stands in its way: it is due, and the next node that asks will fire it.' }];
}

function ofState({ found, executing, job }: TriggerCase): readonly Reason[] {
  const { trigger, state } = found;
  const reasons: Reason[] = [];
  if (trigger.unreadable !== undefined) {
    reasons.push({ code: 'unreadable', text: `This node cannot read it: ${trigger.unreadable}` });
  }
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

function ofTime({ found: { trigger, state }, now }: TriggerCase): readonly Reason[] {
  const { nextFireTime, kind, calendarName } = trigger;
  if (nextFireTime === null) {
    if (kind === 'AFTER')
      return [{ code: 'waitsForJobs', text: 'It fires when the jobs that it waits for have ended.' }];
    return [];
  }
  // A trigger that is paused or has ended does not wait for its time.
  if (nextFireTime <= now || DORMANT.has(state)) return [];
  const reasons: Reason[] = [{ code: 'later', text: `It is not due: it fires next at ${instantAt(nextFireTime)}.` }];
  if (calendarName !== null) {
    reasons.push({ code: 'calendar', text: `Times that the calendar ${calendarName} excludes are left out.` });
  }
  return reasons;
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
