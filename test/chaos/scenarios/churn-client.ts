import type { Scheduler } from '../../../src';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { quartz } from '../../cluster/support/quartz';
import { now } from '../../cluster/support/time';
import type { Random } from '../world/random';

/** A call about some triggers, with the times of the call and of its response. `what`: its effect on their firings. */
export interface Call {
  readonly triggers: readonly string[];
  readonly what: 'pause' | 'delete' | 'go';
  readonly isAnswered: boolean;
  readonly from: number;
  readonly to: number;
}

/** The last definition of a trigger. */
export interface Definition {
  readonly kind: 'simple' | 'cron';
  readonly every: number;
  readonly start: number;
}

interface Owned {
  definition: Definition;
  isThere: boolean;
  isPaused: boolean;
}

const TRIGGERS = 55;
const GROUPS = 3;

export const isExclusive = (job: string) => Number(job.split('-')[2]) % 4 === 0;

/** Changes its triggers as fast as calls return, and records the calls. */
export class ChurnClient {
  readonly calls: Call[] = [];
  /** Unexpected errors and results of calls. */
  readonly surprises: string[] = [];
  /** Number of calls that failed because the database was disturbed. It is unknown whether they took effect. */
  failures = 0;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #owned = new Map<string, Owned>();

  constructor(index: number, scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
    for (let each = 0; each < TRIGGERS; each++) {
      this.#owned.set(`t-${index}-${each}`, { definition: this.#define(), isThere: true, isPaused: false });
    }
  }

  get definitions(): ReadonlyMap<string, Definition> {
    return new Map([...this.#owned].map(([name, { definition }]) => [name, definition]));
  }

  async begin(): Promise<void> {
    for (const name of this.#owned.keys()) await this.#scheduler.scheduleJob(jobOf(name), this.#trigger(name));
  }

  async change(): Promise<void> {
    const name = this.#random.pick([...this.#owned.keys()]);
    if (!(this.#owned.get(name) as Owned).isThere) return this.#create(name);
    const actions = [
      ...Array.from({ length: 3 }, () => () => this.#reschedule(name)),
      () => this.#pause(name),
      () => this.#resume(name),
      () => this.#pauseGroup(name),
      () => this.#resumeGroup(name),
      () => this.#pauseJob(name),
      () => this.#resumeJob(name),
      () => this.#delete(name),
      () => this.#replace(name),
    ];
    await this.#random.pick(actions)();
  }

  /** Resumes all triggers, and creates the missing ones. */
  async end(): Promise<void> {
    const names = [...this.#owned.keys()];
    const { GroupMatcher } = quartz();
    for (const group of new Set(names.map(groupOf))) {
      const members = names.filter((name) => groupOf(name) === group);
      await this.#call('go', members, () => this.#scheduler.resumeTriggers(GroupMatcher.groupEquals(group)));
    }
    for (const name of names) {
      const isThere = (await this.#scheduler.getTrigger(keyOf(name))) !== null;
      const { isThere: expected } = this.#owned.get(name) as Owned;
      if (isThere !== expected && this.failures === 0)
        this.surprises.push(`${name} is ${isThere ? 'there' : 'gone'} at the end`);
      if (!isThere) await this.#create(name);
      await this.#call('go', [name], () => this.#scheduler.resumeTrigger(keyOf(name)));
    }
  }

  #create(name: string): Promise<void> {
    const definition = this.#define();
    return this.#call('go', [name], () => this.#scheduler.scheduleJob(this.#trigger(name, definition)), {
      definition,
      isThere: true,
    });
  }

  #reschedule(name: string): Promise<void> {
    const definition = this.#define();
    const trigger = this.#trigger(name, definition);
    // As in Quartz, a rescheduled trigger is no longer paused, unless its group is paused.
    return this.#call('go', [name], () => this.#scheduler.rescheduleJob(keyOf(name), trigger), { definition });
  }

  #replace(name: string): Promise<void> {
    const jobs = new Map([[jobOf(name), [this.#trigger(name)]]]);
    return this.#call('go', [name], () => this.#scheduler.scheduleJobs(jobs, { replace: true }));
  }

  readonly #pause = (name: string) => this.#call('pause', [name], () => this.#scheduler.pauseTrigger(keyOf(name)));
  readonly #resume = (name: string) => this.#call('go', [name], () => this.#scheduler.resumeTrigger(keyOf(name)));
  readonly #pauseJob = (name: string) => this.#call('pause', [name], () => this.#scheduler.pauseJob(jobNameOf(name)));
  readonly #resumeJob = (name: string) => this.#call('go', [name], () => this.#scheduler.resumeJob(jobNameOf(name)));
  readonly #delete = (name: string) =>
    this.#call('delete', [name], () => this.#scheduler.unscheduleJob(keyOf(name)), { isThere: false });

  #pauseGroup(name: string): Promise<void> {
    const matcher = quartz().GroupMatcher.groupEquals(groupOf(name));
    return this.#call('pause', this.#groupOf(name), () => this.#scheduler.pauseTriggers(matcher));
  }

  #resumeGroup(name: string): Promise<void> {
    const matcher = quartz().GroupMatcher.groupEquals(groupOf(name));
    return this.#call('go', this.#groupOf(name), () => this.#scheduler.resumeTriggers(matcher));
  }

  #groupOf(name: string): readonly string[] {
    return [...this.#owned]
      .filter(([each, { isThere }]) => isThere && groupOf(each) === groupOf(name))
      .map(([each]) => each);
  }

  async #call(
    what: Call['what'],
    triggers: readonly string[],
    act: () => Promise<unknown>,
    change: Partial<Owned> = {},
  ): Promise<void> {
    const from = monotonic();
    let isAnswered = true;
    try {
      const answer = await act();
      if (answer === false || answer === null) this.surprises.push(`${triggers.join()} was not found (${what})`);
      for (const name of triggers) Object.assign(this.#owned.get(name) as Owned, change);
    } catch (error) {
      isAnswered = false;
      this.failures += 1;
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (code !== 'STORE_FAILURE') this.surprises.push(`${code}: ${message.slice(0, 200)}`);
    }
    this.calls.push({ triggers, what, isAnswered, from, to: monotonic() });
  }

  #define(): Definition {
    const start = now() + this.#random.between(-300, 600);
    if (this.#random.share() < 0.5) return { kind: 'simple', every: this.#random.between(600, 1_500), start };
    return { kind: 'cron', every: this.#random.pick([1_000, 2_000]), start };
  }

  #trigger(name: string, definition: Definition = (this.#owned.get(name) as Owned).definition) {
    const { cronSchedule, newTrigger, simpleSchedule } = quartz();
    const { kind, every, start } = definition;
    const builder = newTrigger().withIdentity(name, groupOf(name)).forJob(jobNameOf(name)).startAt(new Date(start));
    const cron = every === 1_000 ? '* * * * * ?' : '0/2 * * * * ?';
    return kind === 'cron'
      ? builder
          .withSchedule(cronSchedule(cron).inTimeZone('UTC').withMisfireHandlingInstructionIgnoreMisfires())
          .build()
      : builder
          .withSchedule(
            simpleSchedule()
              .withIntervalInMilliseconds(every)
              .repeatForever()
              .withMisfireHandlingInstructionIgnoreMisfires(),
          )
          .build();
  }
}

const numberOf = (name: string) => Number(name.split('-')[2]);
const groupOf = (name: string) => `g-${name.split('-')[1]}-${numberOf(name) % GROUPS}`;
const jobNameOf = (name: string) => `j${name.slice(1)}`;
const keyOf = (name: string) => quartz().triggerKey(name, groupOf(name));

function jobOf(name: string) {
  const job = jobNameOf(name);
  return quartz()
    .newJob('record')
    .withIdentity(job)
    .storeDurably()
    .disallowConcurrentExecution(isExclusive(job))
    .requestRecovery(numberOf(name) % 5 === 0)
    .usingJobData({ duration: isExclusive(job) ? 100 : 20 })
    .build();
}
