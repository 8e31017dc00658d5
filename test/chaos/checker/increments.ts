import type { Start } from '../../cluster/support/history';
import { type Facts, grouped } from './facts';
import { isLeftover } from './stops';

/** Checks of jobs that count their runs in their job data. */
export interface Increments {
  readonly increments: number;
  readonly lost: readonly string[];
}

/** Checks that the next run finds the stored data of a completion, and only stored values. */
export function judgeIncrements(facts: Facts): Increments {
  const counting = facts.starts.filter(({ count }) => count !== undefined);
  const jobs = [...grouped(counting, ({ job }) => job)];
  return { increments: counting.length, lost: jobs.flatMap(([job, runs]) => lostBy(facts, job, runs)) };
}

function lostBy(facts: Facts, job: string, runs: readonly Start[]): readonly string[] {
  const { done, refused } = facts;
  const found: string[] = [];
  let stored = 0;
  let previous: number | null = null;
  for (const run of runs) {
    const { id, count = 0 } = run;
    if (count < stored && isLeftover(facts, run)) continue;
    if (count < stored) found.push(`${job}: ${id} found ${count}, ${stored} were completed`);
    if (previous !== null && count > previous + 1) found.push(`${job}: ${id} found ${count} after ${previous}`);
    // A completion of a killed node may be stored although it was not reported.
    stored = Math.max(stored, count);
    if (done.has(id) && !refused.has(id)) stored = Math.max(stored, count + 1);
    previous = count;
  }
  return found;
}
