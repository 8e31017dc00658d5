import type { ClusterSettings, Launch } from '../cluster/support/cluster';
import type { ExpectedTrigger } from '../cluster/support/workload';
import type { StoreKind, World } from './world/database';
import type { Fleet } from './world/fleet';
import type { Random } from './world/random';

/** Options with which a scenario is played. */
export interface RunOptions {
  readonly store: StoreKind;
  readonly seed: number;
  readonly seconds: number;
  readonly nodes: number;
  /** Share of the usual load. */
  readonly share: number;
  /** True for the default check-in and grace instead of short ones. */
  readonly defaults: boolean;
  /** Folder of this run. */
  readonly folder: string;
}

/** A cluster under load, for scenarios that cause faults. */
export interface Stage {
  readonly options: RunOptions;
  readonly world: World;
  readonly fleet: Fleet;
  readonly random: Random;
  /** Every trigger of the load. */
  readonly expected: readonly ExpectedTrigger[];
  /** Start time of the load, by the wall clock. */
  readonly from: number;
  /** Remaining time of the load. Milliseconds. */
  left(): number;
}

/** Result of a scenario; every list of `violations` must be empty. */
export interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** Remarks that are not violations. */
  readonly notes?: readonly string[];
}

interface Common {
  readonly name: string;
  /** Short description of the faults. */
  readonly about: string;
  /** Default: all. */
  readonly stores?: readonly ('server' | 'sqlite')[];
  /** Reason why the scenario cannot be played on this machine; null if it can. */
  readonly missing?: () => string | null;
}

/** A scenario that causes faults in a cluster under load, and checks the history. */
export interface LoadScenario extends Common {
  /** Causes faults. Resolves when the load has ended and all faults are undone. */
  readonly disturb: (stage: Stage) => Promise<void>;
  /** True if the database or nodes are disturbed all the time, so that lateness counts as interference. */
  readonly interferes?: boolean;
  readonly hasLinks?: boolean;
  readonly hasFixedIds?: boolean;
  /** True if the SQLite file is on a separate file system that can be filled. */
  readonly hasSmallDisk?: boolean;
  readonly serverOptions?: readonly string[];
  readonly settings?: ClusterSettings;
  /** Options of the process of a node. */
  readonly launch?: (options: RunOptions, name: string) => Omit<Launch, 'name'>;
  /** Milliseconds after the start at which thousands of triggers are due at once. */
  readonly bursts?: readonly number[];
  /** Tolerance for early starts, if the clock of the database is stepped or read through a network that delays packets. Milliseconds. */
  readonly earlyTolerance?: number;
  /** True if live nodes may be considered dead. */
  readonly mayFence?: boolean;
  /** True if the scenario itself causes lateness, so that it is not checked. */
  readonly isLate?: boolean;
  /** A single job whose lateness is not checked. */
  readonly lateJob?: string;
}

/** A scenario with its own load and checks. */
export interface OwnScenario extends Common {
  readonly play: (options: RunOptions) => Promise<Outcome>;
}

export type Scenario = LoadScenario | OwnScenario;
