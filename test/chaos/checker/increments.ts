import type { Start } from '../../cluster/support/history';
import { type Facts, grouped } from './facts';
import { isLeftover } from './stops';

/** What jobs that count their runs in their own data found there. */
export interface Increments {
  readonly increments: number;
  readonly lost: readonly string[];
}

/** I11: data that a completion stored is there in the next run, and no value is made up. */
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
    // What a killed node completed may be stored although nobody was left to tell.
    stored = Math.max(stored, count);
    if (done.has(id) && !refused.has(id)) stored = Math.max(stored, count + 1);
    previous = count;
  }
  return found;
}
