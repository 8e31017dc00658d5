import type { Run, Scheduler } from '../../src';
import { type Fate, type Kind, WHILE_IT_EXECUTES } from '../conformance/survival/table';
import { until } from '../support/until';
import type { Fleet, Line } from './fleet';

/** Time between two fire times. */
const INTERVAL = 3_000;

const OFTEN = { every: INTERVAL } as const;
const ONCE = { job: 'work', registeredLater: true } as const;

/** Stores the job of each kind under the name of the kind. It is due at once. */
const STORE: Readonly<Record<Kind, (scheduler: Scheduler) => Promise<unknown>>> = {
  plain: (scheduler) => scheduler.schedule('plain', { ...OFTEN, ...ONCE }),
  retry: (scheduler) => scheduler.schedule('retry', { ...OFTEN, ...ONCE, retry: { max: 3, delay: 100 } }),
  requestsRecovery: (scheduler) =>
    scheduler.schedule('requestsRecovery', { ...OFTEN, ...ONCE, requestsRecovery: true }),
  'one-off': (scheduler) => scheduler.schedule('one-off', { ...ONCE, at: new Date() }),
  shard: (scheduler) => scheduler.schedule('shard', { ...OFTEN, ...ONCE, spread: { shards: 2 } }),
  chain: async (scheduler) => {
    await scheduler.schedule('first', { ...OFTEN, ...ONCE, job: 'first' });
    await scheduler.schedule('chain', { ...ONCE, after: 'first' });
  },
  limited: (scheduler) => scheduler.schedule('limited', { ...OFTEN, ...ONCE, concurrency: { key: 'mail', limit: 1 } }),
};

/** Fates that the table of the guide names for a killed node. */
export const KILLED = (WHILE_IT_EXECUTES.find(({ event }) => event === 'killed') as { cells: Record<Kind, Fate> })
  .cells;

/** Kills the node that runs a job of each kind, and returns the fate of each run on the next node. */
export async function playKill(fleet: Fleet, kinds: readonly Kind[]): Promise<Partial<Record<Kind, Fate>>> {
  const scheduler = await fleet.scheduler();
  const victim = await fleet.launch('victim', { hangs: true });
  for (const kind of kinds) await STORE[kind](scheduler);
  const begun = () => kinds.map((kind) => fleet.lines().find(({ line, job }) => line === 'begin' && job === kind));
  const killed = await until(begun, (lines) => lines.every((line) => line !== undefined));
  await fleet.end(victim, 'SIGKILL');
  await fleet.launch('heir');
  const fates = async () => {
    const [lines, runs] = [
      fleet.lines().filter(({ node, line }) => node === 'heir' && line === 'begin'),
      await fleet.runs(),
    ];
    return killed.map((each) => fateOf(each as Line, lines, runs));
  };
  const found = await until(fates, (each) => each.every((fate) => fate !== null));
  return Object.fromEntries(kinds.map((kind, index) => [kind, found[index]]));
}

/** Fate of a run whose node was killed; null until it is known. */
function fateOf(killed: Line, begun: readonly Line[], runs: readonly Run[]): Fate | null {
  const record = runs.find(({ runId }) => runId === killed.runId);
  if (record?.outcome !== 'lost') return null;
  if (record.isDeadLetter) return 'dead letter';
  const own = begun.filter(({ job }) => job === killed.job);
  const again = own.find(({ occurrence }) => occurrence === killed.occurrence);
  if (again !== undefined) return again.attempt === killed.attempt ? 'runs again' : 'retry';
  return own.length > 0 && record.endTime.getTime() < Date.now() - INTERVAL ? 'next time' : null;
}
