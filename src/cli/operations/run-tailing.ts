import { formatKey, type JobKey, sameKey } from '../../domain/keys';
import type { OutputOf } from '../../operations/operations';
import type { PolledScheduler } from './polling';
import type { Followed, FollowedLine, FollowedProgress, RunUpdate } from './target';

type Firing = OutputOf<'firings.list'>['items'][number];
type Run = OutputOf<'runs.list'>['items'][number];

export type TailEvent =
  | { readonly type: 'started'; readonly firing: Firing }
  | { readonly type: 'line'; readonly job: Firing['job']; readonly runId: string; readonly line: FollowedLine }
  | {
      readonly type: 'progress';
      readonly job: Firing['job'];
      readonly runId: string;
      readonly progress: FollowedProgress;
    }
  /** `lines` is the number of log lines that are no longer available. */
  | { readonly type: 'gap'; readonly job: Firing['job']; readonly runId: string; readonly lines: number }
  | { readonly type: 'ended'; readonly run: Run }
  /** The run has ended, but is not recorded in the history. */
  | { readonly type: 'gone'; readonly firing: Firing };

interface TailingOptions {
  readonly job: JobKey | null;
  readonly report: (event: TailEvent) => void;
}

/** `polled`: runs read per poll. `followed`: runs whose output is streamed. `shown`: ended runs per poll whose recorded log lines are printed. */
const MAX = { polled: 1_000, followed: 50, shown: 20 } as const;

/** Reports the runs that start and end between two polls, and their log lines and progress. */
export class RunTailing {
  readonly #polled: PolledScheduler;
  readonly #options: TailingOptions;
  /** Runs that currently execute, by run id. `isMissed`: the last poll did not find the run. */
  readonly #running = new Map<
    string,
    { readonly firing: Firing; readonly following: Promise<Followed> | null; isMissed: boolean }
  >();
  #since: string;
  /** Ids of the runs that ended at exactly `#since` and were already reported. */
  #reported = new Set<string>();

  constructor(polled: PolledScheduler, options: TailingOptions) {
    this.#polled = polled;
    this.#options = options;
    this.#since = new Date(polled.clock.now()).toISOString();
  }

  async poll(): Promise<void> {
    const firings = await this.#firings();
    const runs = await this.#newRuns();
    for (const firing of firings) if (!this.#running.has(firing.runId)) this.#started(firing);
    for (const run of runs) await this.#ended(run);
    this.#gone(new Set(firings.map(({ runId }) => runId)));
  }

  async #firings(): Promise<readonly Firing[]> {
    const { job } = this.#options;
    const { items } = await this.#polled.query('firings.list', {
      limit: MAX.polled,
      ...(job === null ? {} : { job: formatKey(job) }),
    });
    return items.filter((firing) => this.#isSelected(firing));
  }

  /** Returns the runs that have ended since the last poll, oldest first. */
  async #newRuns(): Promise<readonly Run[]> {
    const { job } = this.#options;
    const filter = job === null ? {} : { job: job.name, jobGroup: job.group };
    const { items } = await this.#polled.query('runs.list', { since: this.#since, limit: MAX.polled, ...filter });
    const fresh = items.filter((run) => !this.#reported.has(run.runId)).reverse();
    const last = fresh.at(-1)?.endTime ?? this.#since;
    if (last !== this.#since) this.#reported = new Set();
    this.#since = last;
    for (const { runId, endTime } of items) if (endTime === last) this.#reported.add(runId);
    return fresh.filter((run) => this.#isSelected(run));
  }

  #isSelected({ job }: Firing | Run): boolean {
    const wanted = this.#options.job;
    return wanted === null || sameKey(job, wanted);
  }

  #started(firing: Firing): void {
    this.#options.report({ type: 'started', firing });
    const following = this.#running.size < MAX.followed ? this.#follow(firing) : null;
    this.#running.set(firing.runId, { firing, following, isMissed: false });
  }

  #follow({ runId, job }: Firing): Promise<Followed> {
    const { target, signal } = this.#polled;
    let known = '';
    const report = (update: RunUpdate) => {
      if (update.type === 'progress') {
        // Each poll and each reconnect delivers the progress again, even if it is unchanged.
        const { fraction, message } = update.progress;
        const now = JSON.stringify([fraction, message]);
        if (now === known) return;
        known = now;
      }
      this.#options.report({ ...update, job, runId });
    };
    return target.followLines(runId, report, signal);
  }

  async #ended(run: Run): Promise<void> {
    const known = this.#running.get(run.runId);
    this.#running.delete(run.runId);
    const followed = (await known?.following) ?? { isWhole: false, lines: 0 };
    if (!followed.isWhole) await this.#reportLines(run, followed.lines);
    this.#options.report({ type: 'ended', run });
  }

  #shown = 0;

  /** Reports the recorded lines of a run that were not reported while it executed, for at most 20 runs per poll. */
  async #reportLines({ runId, job }: Run, reported: number): Promise<void> {
    if (++this.#shown > MAX.shown) return;
    const { lines } = await this.#polled.query('runs.show', { runId });
    for (const line of lines.slice(reported)) this.#options.report({ type: 'line', job, runId, line });
  }

  /** Reports runs that two consecutive polls did not find. These runs have ended without a history record. */
  #gone(seen: ReadonlySet<string>): void {
    this.#shown = 0;
    for (const [id, entry] of this.#running) {
      if (seen.has(id)) entry.isMissed = false;
      else if (!entry.isMissed) entry.isMissed = true;
      else {
        this.#running.delete(id);
        this.#options.report({ type: 'gone', firing: entry.firing });
      }
    }
  }
}
