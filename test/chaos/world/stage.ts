import { join } from 'node:path';
import type { Launch } from '../../cluster/support/cluster';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { now, pause } from '../../cluster/support/time';
import { schedule } from '../../cluster/support/workload';
import { burst, chaosWorkload } from '../loads';
import type { LoadScenario, RunOptions, Stage } from '../scenario';
import { serverWorld, sqliteWorld, type World } from './database';
import { Fleet, type FleetOptions } from './fleet';
import { type Random, seededRandom } from './random';
import { mountSmallDisk } from './small-disk';

const LEAD = 1_500;
const BURST_SIZE = 1_500;

/** Short enough for a quick detection of dead nodes, and long enough that live nodes are not considered dead on a busy machine. */
const QUICK = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 };
const QUICK_DETECTION = 3_000;
/** No limit of recoveries, because many nodes die under load; `job-exits` has the default limit. */
export const UNLIMITED = { maxRecoveryAttempts: 1_000 };
const DEFAULT_DETECTION = 15_000;

/** Detection time of a dead node. Milliseconds. */
export const detectionOf = ({ defaults }: RunOptions) => (defaults ? DEFAULT_DETECTION : QUICK_DETECTION);

/** Shares of a lease: a node that checked in within the first share keeps its lease during an outage of the second. */
export const LATELY_CHECKED_IN = 0.5;
export const MAX_WITHIN_LEASE = 0.35;

/** Store settings of the nodes of a run. */
export const paceOf = ({ defaults }: RunOptions) => (defaults ? {} : QUICK);

/** Opens a new database, which is removed after the run. */
export function openWorld(
  { store, folder }: RunOptions,
  { serverOptions = [], hasSmallDisk = false }: Pick<LoadScenario, 'serverOptions' | 'hasSmallDisk'> = {},
): Promise<World> {
  if (store !== 'sqlite') return serverWorld(store, serverOptions);
  const disk = hasSmallDisk ? mountSmallDisk() : null;
  return sqliteWorld(join(disk?.folder ?? folder, 'chaos.db'), disk);
}

/** Starts nodes, and stores a load that begins shortly afterwards. */
export async function openStage(scenario: LoadScenario, options: RunOptions): Promise<Stage> {
  const { seed, seconds, nodes, share } = options;
  const { settings = {}, hasLinks = false, hasFixedIds = false, bursts = [] } = scenario;
  const random = seededRandom(seed);
  const world = await openWorld(options, scenario);
  try {
    const fleet = await Fleet.on(world, {
      settings: {
        ...settings,
        folder: options.folder,
        jobStore: { ...paceOf(options), ...UNLIMITED, ...settings.jobStore },
      },
      hasLinks,
      hasFixedIds,
      random: () => random.share(),
    });
    const launchOf = scenario.launch ?? (() => ({}));
    await Promise.all(names(nodes).map((name) => fleet.add(name, launchOf(options, name))));
    const from = Math.ceil((now() + LEAD) / 1_000) * 1_000;
    const to = from + seconds * 1_000;
    const load = chaosWorkload(from, to, random, share);
    const due = bursts.filter((at) => from + at < to);
    const expected = [...load, ...due.flatMap((at, index) => burst(from + at, index, BURST_SIZE * share))];
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    await pause(from - now());
    const end = monotonic() + to - now();
    return { options, world, fleet, random, expected, from, left: () => end - monotonic() };
  } catch (error) {
    await world.close();
    throw error;
  }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);

/** Starts nodes without a load, for scenarios with their own checks. */
export async function withFleet<T>(
  options: RunOptions,
  fleetOptions: Partial<FleetOptions> & {
    readonly launch?: Omit<Launch, 'name'>;
    /** Options by the name of the member, if they differ. */
    readonly launchOf?: (name: string) => Omit<Launch, 'name'>;
    readonly nodes?: number;
  },
  work: (scene: { readonly world: World; readonly fleet: Fleet; readonly random: Random }) => Promise<T>,
): Promise<T> {
  const { settings = {}, launch = {}, launchOf = () => launch, nodes = options.nodes, ...rest } = fleetOptions;
  const random = seededRandom(options.seed);
  const world = await openWorld(options);
  const own = { ...settings, folder: options.folder, jobStore: { ...paceOf(options), ...settings.jobStore } };
  const shares = () => random.share();
  const fleet = await Fleet.on(world, { hasLinks: false, hasFixedIds: false, random: shares, ...rest, settings: own });
  try {
    await Promise.all(names(nodes).map((name) => fleet.add(name, launchOf(name))));
    return await work({ world, fleet, random });
  } finally {
    await fleet.close();
    await world.close();
  }
}
