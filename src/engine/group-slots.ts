import type { AcquiredTrigger, TriggerFiring } from '../domain/firing';
import { GroupCapacity, type GroupLimits } from '../domain/group-limits';
import type { AcquireResult } from '../store/job-store';

/** Counts the runs of each limited group on this node, and computes the remaining capacity of each group. */
export class GroupSlots {
  readonly #limits: GroupLimits;
  readonly #onCapacity: () => void;
  readonly #running = new Map<string, number>();
  /** Groups that may still have due triggers in the store after the last request. All limited groups while a request is in progress. */
  #short: ReadonlySet<string> = new Set();

  /** Calls `onCapacity` when a run ends in a group for which triggers may be waiting. */
  constructor(limits: GroupLimits, onCapacity: () => void) {
    this.#limits = limits;
    this.#onCapacity = onCapacity;
  }

  get groups(): readonly string[] {
    return Object.keys(this.#limits);
  }

  /** Returns the remaining capacity of each limited group for a request, whose answer must be passed to `answered`. */
  available(): GroupLimits {
    this.#short = new Set(this.groups);
    return this.#left();
  }

  /** Records the groups without capacity after the answer to a request. `requested`: return value of `available` for that request. */
  answered(requested: GroupLimits, { acquired, fired }: Pick<AcquireResult, 'acquired' | 'fired'>): void {
    const capacity = new GroupCapacity(requested);
    for (const { trigger } of acquired) capacity.take(trigger.jobKey.group);
    for (const each of fired) if (each.status === 'fired') capacity.take(each.firing.jobDetail.key.group);
    this.#short = new Set(capacity.full);
  }

  /** Splits triggers by the remaining capacity of their job's group. `within`: triggers that fit. `beyond`: triggers that exceed the capacity. */
  divide(acquired: readonly AcquiredTrigger[]) {
    const capacity = new GroupCapacity(this.#left());
    const within: AcquiredTrigger[] = [];
    const beyond: AcquiredTrigger[] = [];
    for (const each of acquired) {
      const { group } = each.trigger.jobKey;
      (capacity.hasCapacity(group) ? within : beyond).push(each);
      capacity.take(group);
    }
    return { within, beyond };
  }

  /** Wraps `run` so that each call counts as a run of its group until the call has ended. */
  counting(run: (firing: TriggerFiring) => Promise<void>): (firing: TriggerFiring) => Promise<void> {
    return (firing) => {
      const leave = this.enter(firing);
      return leave === null ? run(firing) : run(firing).finally(leave);
    };
  }

  /** Counts a firing as a run of its group until the returned function is called. Null: its group has no limit. */
  enter({ jobDetail }: TriggerFiring): (() => void) | null {
    const { group } = jobDetail.key;
    if (!Object.hasOwn(this.#limits, group)) return null;
    this.#count(group, 1);
    return () => {
      this.#count(group, -1);
      if (this.#short.has(group)) this.#onCapacity();
    };
  }

  #left(): GroupLimits {
    const limits = Object.entries(this.#limits);
    return Object.fromEntries(
      limits.map(([group, limit]) => [group, Math.max(0, limit - (this.#running.get(group) ?? 0))]),
    );
  }

  #count(group: string, change: number): void {
    this.#running.set(group, (this.#running.get(group) ?? 0) + change);
  }
}
