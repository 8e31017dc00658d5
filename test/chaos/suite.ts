import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../cluster/support/time';
import { findingsOf, play, type RunReport } from './play';
import type { RunOptions, Scenario } from './scenario';
import type { StoreKind } from './world/database';

/** Scenarios, with their stores and repetitions. */
export interface Suite {
  readonly scenarios: readonly Scenario[];
  readonly stores: readonly StoreKind[];
  readonly seeds: readonly number[];
  readonly parallel: number;
  /** Time for which the suite is repeated, each time with the next seeds; null: once. */
  readonly hours: number | null;
  readonly run: Pick<RunOptions, 'seconds' | 'nodes' | 'share' | 'defaults'>;
  readonly out: string;
}

export interface PlannedRun {
  readonly scenario: Scenario;
  readonly options: RunOptions;
}

export interface Watcher {
  begun(run: PlannedRun): void;
  ended(run: PlannedRun, report: RunReport): void;
}

const HOUR = 3_600_000;

/** Every scenario on each of its stores, with every seed. `round` shifts the seeds. */
export function planRuns({ scenarios, stores, seeds, run, out }: Suite, round = 0): readonly PlannedRun[] {
  const shift = round * (Math.max(...seeds) - Math.min(...seeds) + 1);
  const playable = scenarios.filter(({ missing }) => (missing?.() ?? null) === null);
  return seeds
    .map((seed) => seed + shift)
    .flatMap((seed) =>
      playable.flatMap((scenario) =>
        stores
          .filter((store) => scenario.stores?.includes(store === 'sqlite' ? store : 'server') ?? true)
          .map((store) => {
            const folder = join(out, `${scenario.name}-${store}-${seed}`);
            return { scenario, options: { ...run, store, seed, folder } };
          }),
      ),
    );
}

/** Plays all runs, `parallel` at a time. Runs with findings keep their files. */
export async function playAll(suite: Suite, watcher: Watcher): Promise<void> {
  const end = suite.hours === null ? null : now() + suite.hours * HOUR;
  const runs = allRuns(suite, end);
  const worker = async () => {
    for (const run of runs) {
      if (end !== null && now() > end) return;
      watcher.begun(run);
      watcher.ended(run, await playIn(run));
    }
  };
  await Promise.all(Array.from({ length: suite.parallel }, worker));
}

function* allRuns(suite: Suite, end: number | null): Generator<PlannedRun> {
  for (let round = 0; round === 0 || end !== null; round++) yield* planRuns(suite, round);
}

async function playIn({ scenario, options }: PlannedRun): Promise<RunReport> {
  rmSync(options.folder, { recursive: true, force: true });
  mkdirSync(options.folder, { recursive: true });
  const report = await play(scenario, options);
  if (findingsOf(report).length === 0) rmSync(options.folder, { recursive: true, force: true });
  return report;
}
