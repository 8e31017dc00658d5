import type { AcquiredTrigger, TriggerFiring } from '../domain/firing';
import { type GroupLimits, GroupRoom } from '../domain/group-limits';
import type { AcquireResult } from '../store/job-store';

/** How many runs of each limited group execute on this node, and how many more may begin. */
export class GroupSlots {
  readonly #limits: GroupLimits;
  readonly #onRoom: () => void;
  readonly #running = new Map<string, number>();
  /** Of these, the last request may have left some waiting. While it is on its way: of any. */
  #short: ReadonlySet<string> = new Set();

  /** `onRoom` is called when a run of a group has ended of which others may wait. */
  constructor(limits: GroupLimits, onRoom: () => void) {
    this.#limits = limits;
    this.#onRoom = onRoom;
  }

  /** The groups that have a limit here. */
  get groups(): readonly string[] {
    return Object.keys(this.#limits);
  }

  /** How many more may begin, for a request whose answer is told to `answered`. */
  ask(): GroupLimits {
    this.#short = new Set(this.groups);
    return Object.fromEntries(this.groups.map((group) => [group, this.#roomOf(group)]));
  }

  /** `asked`: what `ask` said. */
  answered(asked: GroupLimits, { acquired, fired }: Pick<AcquireResult, 'acquired' | 'fired'>): void {
    const room = new GroupRoom(asked);
    for (const { trigger } of acquired) room.take(trigger.jobKey.group);
    for (const each of fired) if (each.status === 'fired') room.take(each.firing.jobDetail.key.group);
    this.#short = new Set(room.full);
  }

  /** Tells those for which there is room from those for which there is none any more. */
  divide(acquired: readonly AcquiredTrigger[]) {
    const room = new GroupRoom(Object.fromEntries(this.groups.map((group) => [group, this.#roomOf(group)])));
    const within: AcquiredTrigger[] = [];
    const beyond: AcquiredTrigger[] = [];
    for (const each of acquired) {
      const { group } = each.trigger.jobKey;
      (room.hasRoom(group) ? within : beyond).push(each);
      room.take(group);
    }
    return { within, beyond };
  }

  /** `run`, counted from its call until it has ended. */
  counting(run: (firing: TriggerFiring) => Promise<void>): (firing: TriggerFiring) => Promise<void> {
    return (firing) => {
      const { group } = firing.jobDetail.key;
      if (!Object.hasOwn(this.#limits, group)) return run(firing);
      this.#count(group, 1);
      return run(firing).finally(() => {
        this.#count(group, -1);
        if (this.#short.has(group)) this.#onRoom();
      });
    };
  }

  #roomOf(group: string): number {
    return Math.max(0, (this.#limits[group] ?? 0) - (this.#running.get(group) ?? 0));
  }

  #count(group: string, change: number): void {
    this.#running.set(group, (this.#running.get(group) ?? 0) + change);
  }
}
