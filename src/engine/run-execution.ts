import { DoNotRetry } from '../api/job-execution-exception';
import { toError } from '../base/errors';
import { completesWithin } from '../base/sleep';
import type { AlertsConfig } from '../config/scheduler-config';
import { deadlineOf } from '../domain/admission';
import { DATA_VERSION_KEY, versionOfBoth } from '../domain/data-version';
import { policyOf } from '../domain/execution-policy';
import type { TriggerFiring } from '../domain/firing';
import { formatKey } from '../domain/keys';
import type { EventBus } from '../events/event-bus';
import type { CallingRuns } from './calling-runs';
import { type CheckpointParts, loadCheckpoint } from './checkpoints';
import type { ExecutingJobs } from './executing-jobs';
import { currentData, NO_RULES } from './job-data-rules';
import type { JobMiddlewares } from './job-middleware';
import type { JobRegistry } from './job-registry';
import type { RunEndingParts } from './run-ending';
import type { RunState } from './run-state';
import { runWithin } from './time-limit';

export interface RunExecutionParts extends CheckpointParts, Pick<RunEndingParts, 'random' | 'policy'> {
  readonly bus: EventBus;
  readonly registry: JobRegistry;
  readonly middleware: JobMiddlewares;
  readonly executing: ExecutingJobs;
  readonly callingRuns: CallingRuns;
  /** Thresholds for events about runs that start late or take long. Default: no such events. */
  readonly alerts?: AlertsConfig | undefined;
}

/** True if `prepare` must be called. Most runs need no preparation, and skipping the call saves the cost of a promise. */
export function mustPrepare(run: RunState, { registry }: Pick<RunExecutionParts, 'registry'>): boolean {
  return run.mustLoadCheckpoint || registry.hasRules || isVersioned(run.firing);
}

/** Upgrades and checks the job data, and loads an earlier checkpoint. Rejects with DoNotRetry for invalid data, or with the error of the loading. */
export async function prepare(run: RunState, parts: RunExecutionParts): Promise<void> {
  const { registry } = parts;
  const mustCheckData = run.dataVersion === null && (registry.hasRules || isVersioned(run.firing));
  if (mustCheckData) await prepareData(registry, run);
  // If the checkpoint cannot be loaded, the run fails. It must not start from the beginning.
  if (run.mustLoadCheckpoint) run.resume(await loadCheckpoint(run.firing, parts, run.signal));
}

function isVersioned({ jobDetail, trigger }: TriggerFiring): boolean {
  return DATA_VERSION_KEY in jobDetail.data || DATA_VERSION_KEY in trigger.data;
}

/** Upgrades and checks the job data. Rejects with DoNotRetry if it is invalid, because a retry would find the same data. */
async function prepareData(registry: JobRegistry, run: RunState): Promise<void> {
  const { jobDetail, trigger } = run.firing;
  const rules = registry.rulesOf(jobDetail.jobType) ?? NO_RULES;
  try {
    const found = { found: run.data, stored: versionOfBoth(jobDetail.data, trigger.data) };
    const data = await currentData(rules, found, `job '${formatKey(jobDetail.key)}'`);
    run.replaceData(data, rules.version);
  } catch (thrown) {
    const cause = toError(thrown);
    throw new DoNotRetry(cause.message, { cause });
  }
}

/** Executes the job inside its middleware and time limit. Publishes `jobStuck` if it runs longer than `alerts.stuckAfterMs`. */
export function execute(run: RunState, parts: RunExecutionParts): unknown {
  const running = start(run, parts);
  const stuckAfterMs = parts.alerts?.stuckAfterMs ?? null;
  if (stuckAfterMs !== null && running instanceof Promise) void reportIfStuck(run, running, stuckAfterMs, parts);
  return running;
}

/** Starts the job. Synchronous, because most jobs have neither middleware nor a time limit. */
function start(run: RunState, parts: RunExecutionParts): unknown {
  const { clock, policy, middleware, executing, callingRuns } = parts;
  const { firing } = run;
  const { timeout } = policyOf(firing, policy);
  if (timeout !== undefined) {
    const limited = callingRuns.mark(async () => await startInMiddleware(run, middleware));
    return runWithin(run, limited, timeout, {
      clock,
      jobName: formatKey(firing.jobDetail.key),
      deadline: deadlineOf(firing),
      onAbandoned: (running) => executing.abandon(run, running),
    });
  }
  return middleware.isEmpty ? run.job.execute(run.context) : startInMiddleware(run, middleware);
}

async function startInMiddleware(run: RunState, middleware: JobMiddlewares): Promise<unknown> {
  const { wasRun, answer } = await middleware.run(run.context, () => run.job.execute(run.context));
  const isSkipped = !wasRun && run.notes?.report.outcome === undefined;
  if (isSkipped) run.ownNotes().addReport({ outcome: 'skipped' });
  return answer;
}

/** Publishes `firingLate` at the first execution of a firing, if it is later than `alerts.lateAfterMs`. */
export function reportIfLate({ firing }: RunState, { alerts, bus, clock }: RunExecutionParts): void {
  const lateAfterMs = alerts?.lateAfterMs ?? null;
  if (lateAfterMs === null) return;
  const at = clock.now();
  const lateBy = at - firing.scheduledFireTime;
  if (lateBy > lateAfterMs) bus.publish({ type: 'firingLate', at, firing, lateBy });
}

/** Publishes `jobStuck`, at most once per run, if the job runs longer than `stuckAfterMs`. */
async function reportIfStuck(
  run: RunState,
  running: Promise<unknown>,
  stuckAfterMs: number,
  { bus, clock }: RunExecutionParts,
): Promise<void> {
  const startTime = clock.monotonic();
  if ((await completesWithin(clock, stuckAfterMs, running)) || run.isReportedStuck) return;
  run.isReportedStuck = true;
  const runningFor = Math.round(clock.monotonic() - startTime);
  bus.publish({ type: 'jobStuck', at: clock.now(), firing: run.firing, runningFor });
}
