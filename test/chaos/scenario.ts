import type { ClusterSettings, Launch } from '../cluster/support/cluster';
import type { ExpectedTrigger } from '../cluster/support/workload';
import type { StoreKind, World } from './world/database';
import type { Fleet } from './world/fleet';
import type { Random } from './world/random';

/** What a run is to be: a scenario is played with these. */
export interface RunOptions {
  readonly store: StoreKind;
  readonly seed: number;
  readonly seconds: number;
  readonly nodes: number;
  /** Share of the usual load. */
  readonly share: number;
  /** The check-in and grace that users have unless they say otherwise, instead of short ones. */
  readonly defaults: boolean;
  /** A folder of this run's own. */
  readonly folder: string;
}

/** A cluster at work, for those who do something to it. */
export interface Stage {
  readonly options: RunOptions;
  readonly world: World;
  readonly fleet: Fleet;
  readonly random: Random;
  /** Every trigger of the load. */
  readonly expected: readonly ExpectedTrigger[];
  /** The wall clock's time at which the load begins. */
  readonly from: number;
  /** Milliseconds for which triggers still fire. */
  left(): number;
}

/** What came of it; every list of `violations` must be empty. */
export interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** What is worth a line, and no mistake. */
  readonly notes?: readonly string[];
}

interface Common {
  readonly name: string;
  /** What is done to the cluster, in half a line. */
  readonly about: string;
  /** All, unless given. */
  readonly stores?: readonly ('server' | 'sqlite')[];
  /** Why it cannot be played on this machine; null when it can. */
  readonly missing?: () => string | null;
}

/** Something is done to a cluster under load; the history is judged. */
export interface LoadScenario extends Common {
  /** Comes back when the load's time is over, and everything is healed. */
  readonly disturb: (stage: Stage) => Promise<void>;
  /** The database is disturbed, one node or several, all the time: lateness is that of work under interference. */
  readonly interferes?: boolean;
  readonly hasLinks?: boolean;
  readonly hasFixedIds?: boolean;
  /** The SQLite file lies on a file system of its own, which can be filled. */
  readonly hasSmallDisk?: boolean;
  readonly serverOptions?: readonly string[];
  readonly settings?: ClusterSettings;
  /** How the process of a node is started, if not as usual. */
  readonly launch?: (options: RunOptions, name: string) => Omit<Launch, 'name'>;
  /** Milliseconds after the begin at which thousands are due at once. */
  readonly bursts?: readonly number[];
  /** More than a few milliseconds only where the database's clock is stepped, or read through a network that holds packets. */
  readonly earlyTolerance?: number;
  /** A node may have to be taken for dead although it is not. */
  readonly mayFence?: boolean;
  /** Lateness that the scenario itself makes is not held against the scheduler. */
  readonly isLate?: boolean;
  /** As above, of one job alone. */
  readonly lateJob?: string;
}

/** One that has a load, and a judgement, of its own. */
export interface OwnScenario extends Common {
  readonly play: (options: RunOptions) => Promise<Outcome>;
}

export type Scenario = LoadScenario | OwnScenario;
