import type { Scheduler } from '../api/scheduler';
import { toError } from '../base/errors';
import { NEVER, sleepFor } from '../base/sleep';
import { type Refusal, refuse, refuseOld } from '../domain/admission';
import type { Completion } from '../domain/completion';
import { policyOf } from '../domain/execution-policy';
import type { TriggerFiring } from '../domain/firing';
import type { NodeJobTypes } from '../domain/job-types';
import { nodesOfBroadcast, spreadOf } from '../domain/shards';
import type { EventBus } from '../events/event-bus';
import type { CompletionQueue } from './completion-queue';
import { decideInstruction } from './job-outcome';
import { completionOf, notStarted, outcomeOfSkip, type RunEndingParts } from './run-ending';

export interface RunAdmissionParts extends RunEndingParts {
  readonly bus: EventBus;
  readonly completions: Pick<CompletionQueue, 'enqueue'>;
  readonly scheduler: () => Scheduler;
  /** Returns the nodes that share the store, with their job types, for broadcasts. Absent if this is the only node. */
  readonly readNodes?: () => Promise<readonly NodeJobTypes[]>;
}

/** Returns null if the job of a firing may run now, otherwise the refusal. Returns a promise only for broadcasts. */
export function admit(firing: TriggerFiring, parts: RunAdmissionParts): Refusal | null | Promise<Refusal | null> {
  if (spreadOf(firing) === 'broadcast') return admitBroadcast(firing, parts);
  return refuse(firing) ?? refuseOld(firing, policyOf(firing, parts.policy).retry);
}

/** Maximum number of attempts to read the nodes for a broadcast. */
const MAX_READINGS = 60;
const READING_PAUSE_MS = 1_000;

/** Decides whether the job of a broadcast may run now. If the nodes cannot be read for a minute, the broadcast runs on this node only. */
async function admitBroadcast(firing: TriggerFiring, parts: RunAdmissionParts): Promise<Refusal | null> {
  const { readNodes, clock, bus, instanceId } = parts;
  if (readNodes === undefined) return refuse(firing);
  for (let attempt = 1; attempt <= MAX_READINGS; attempt++) {
    try {
      return refuse(firing, nodesOfBroadcast(firing, await readNodes(), instanceId));
    } catch (thrown) {
      const during = 'reading the nodes for a broadcast';
      if (attempt === 1) bus.publish({ type: 'schedulerError', at: clock.now(), during, error: toError(thrown) });
      await sleepFor(clock, READING_PAUSE_MS, NEVER);
    }
  }
  return refuse(firing, [instanceId]);
}

/** Completes a firing without running its job: skips it, or stores the refusal's `further` triggers to run it later. */
export function turnAway(firing: TriggerFiring, refusal: Refusal, parts: RunAdmissionParts): void {
  if (refusal.status === 'skip') skip(firing, refusal, parts);
  else defer(firing, refusal, parts);
}

function defer(firing: TriggerFiring, refusal: Refusal & { readonly status: 'defer' }, parts: RunAdmissionParts): void {
  const { bus, clock, completions, scheduler } = parts;
  const { reason, further, parts: ofOccurrence, until = null, cancels = [], passesTo } = refusal;
  if (reason !== 'spread') bus.publish({ type: 'firingDeferred', at: clock.now(), firing, reason, until });
  const instruction = decideInstruction(firing, null, false);
  const completion: Completion = {
    ...{ firing, instruction, further },
    ...(ofOccurrence !== undefined && { parts: ofOccurrence }),
    ...(passesTo !== undefined && { passesTo }),
  };
  for (const runId of cancels) {
    scheduler()
      .interruptRun(runId)
      .catch((thrown: unknown) => {
        const during = 'interrupting a run for a later one';
        bus.publish({ type: 'schedulerError', at: clock.now(), during, error: toError(thrown) });
      });
  }
  completions.enqueue({ completion, jobRunTime: -1, error: null });
}

function skip(firing: TriggerFiring, refusal: Refusal & { readonly status: 'skip' }, parts: RunAdmissionParts): void {
  const { bus, clock, completions } = parts;
  const { reason, lateBy } = refusal;
  bus.publish({ type: 'firingSkipped', at: clock.now(), firing, reason, lateBy });
  const outcome = outcomeOfSkip(refusal);
  const completion = completionOf(notStarted(firing), outcome, decideInstruction(firing, null, false), parts);
  completions.enqueue({ completion, jobRunTime: -1, error: outcome.failure });
}
