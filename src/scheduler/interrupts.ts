import { sameKey } from '../domain/keys';
import type { Engine } from '../engine/engine';
import type { FiringRecord, NodeSignal } from '../store/cluster-store';
import type { SchedulerParts } from './scheduler-parts';

/*
 * A run is listed as soon as its trigger has fired. Its job begins later: first the fire time must come, the listeners must run, and the job data and
 * checkpoint must be loaded. An interrupt that arrives earlier waits until the job has begun.
 */

/** Maximum wait for firings to begin, in milliseconds. Below the requester's timeout (5 s), so that slow firings do not prevent the confirmation. */
const BEGIN_TIMEOUT_MS = 2_000;

export type Interrupt = Extract<NodeSignal, { readonly type: 'interruptJob' | 'interruptRun' }>;

type StartedEngine = Pick<Engine, 'interruptJob' | 'interruptRun' | 'whenStarted'>;
type InterruptedEngine = StartedEngine & Pick<Engine, 'getCurrentlyExecutingJobs'>;

/** Interrupts the selected runs on every node. Returns true if at least one was interrupted. */
export async function interruptEverywhere(
  { config, engine, requests }: Pick<SchedulerParts, 'config' | 'engine' | 'requests'>,
  interrupt: Interrupt,
): Promise<boolean> {
  const hadStarted = interruptStarted(engine, interrupt); // interrupts immediately, even if the store does not respond
  if (requests === null || (hadStarted && interrupt.type === 'interruptRun')) return hadStarted;
  const firings = (await requests.getFirings()).filter((firing) => isSelected(interrupt, firing));
  const own = firings.filter(({ instanceId }) => instanceId === config.instanceId);
  const others = new Set(firings.filter((firing) => !own.includes(firing)).map(({ instanceId }) => instanceId));
  const [isHere, isElsewhere] = await Promise.all([
    own.length > 0 && interruptOwn(engine, interrupt, own),
    requests.interruptOn([...others], interrupt),
  ]);
  return hadStarted || isHere || isElsewhere;
}

/** Interrupts runs of this node. `fired` contains the stored rows of the runs. Runs may have begun or ended since the rows were read. */
async function interruptOwn(
  engine: InterruptedEngine,
  interrupt: Interrupt,
  fired: readonly FiringRecord[],
): Promise<boolean> {
  const started = new Set(engine.getCurrentlyExecutingJobs().map(({ runId }) => runId));
  return fired.every(({ runId }) => started.has(runId))
    ? interruptStarted(engine, interrupt)
    : interruptHere(engine, interrupt);
}

/** Interrupts selected runs of this node. Waits up to 2 s for those whose job has not begun. Returns true if at least one was interrupted. */
export async function interruptHere(engine: StartedEngine, interrupt: Interrupt): Promise<boolean> {
  const hadStarted = interruptStarted(engine, interrupt);
  if (hadStarted && interrupt.type === 'interruptRun') return true;
  await engine.whenStarted(BEGIN_TIMEOUT_MS);
  return interruptStarted(engine, interrupt) || hadStarted;
}

function interruptStarted(engine: StartedEngine, interrupt: Interrupt): boolean {
  return interrupt.type === 'interruptJob'
    ? engine.interruptJob(interrupt.jobKey, interrupt.by ?? null)
    : engine.interruptRun(interrupt.runId, interrupt.by ?? null);
}

function isSelected(interrupt: Interrupt, { jobKey, runId }: FiringRecord): boolean {
  return interrupt.type === 'interruptJob' ? sameKey(interrupt.jobKey, jobKey) : interrupt.runId === runId;
}
