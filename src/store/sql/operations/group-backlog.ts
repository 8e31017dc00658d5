import type { EpochMs } from '../../../base/clock';
import { GroupRoom } from '../../../domain/group-limits';
import type { ChangeReading } from '../../cluster-store';
import type { AcquireRequest } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';

/** Reading again what was passed over takes no more than one part in so many of the time … */
const COST = 20;

/** … and is not put off for longer than this, however slow the database was. */
const LONGEST_MS = 10_000;

/** More sets of full groups are not remembered at once. */
const MOST = 16;

/** From one fire time on, and before another, only triggers of some groups may be acquired. */
export interface PassedOver {
  readonly start: EpochMs;
  readonly end: EpochMs;
  /** By the monotonic clock; null: nothing was passed over yet. */
  readonly until: number | null;
}

interface Stretch extends PassedOver {
  readonly groups: readonly string[];
  readonly jobTypes: readonly string[];
  readonly until: number;
}

/**
 * Where nothing but triggers of groups was found that are full on this node, by the sets of such groups: 50,000 of them would be passed over
 * by each acquisition, under the cluster-wide lock. What the node changes, or the change watch notices, shortens the stretch to what comes
 * before; everything is read again after twenty times as long as it took: where little was passed over, nearly at once.
 */
export class GroupBacklog {
  readonly #node: SqlNode;
  #stretches = new Map<string, Stretch>();
  #changes = 0;
  /** What the change watch saw last. */
  #fingerprint = '';
  /** Until then, what others do makes nothing be read again: the last reading was slow. */
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(node: SqlNode) {
    this.#node = node;
  }

  /** Counts what `reset` was told. */
  get changes(): number {
    return this.#changes;
  }

  /** What of these groups need not be read from `from` on. */
  behind(groups: readonly string[], from: EpochMs, { jobTypes }: Types): PassedOver {
    let found: PassedOver = { start: from, end: from, until: null };
    for (const each of this.#stretches.values()) {
      const isValid = each.start <= from && each.until > this.#now && haveSameTypes(each, { jobTypes });
      if (isValid && each.end > found.end && each.groups.every((group) => groups.includes(group))) found = each;
    }
    return found;
  }

  /**
   * Takes up a scan that began behind `passed` and found nothing of other groups before `end`. `tookMs`: how long; `changes`: as they were
   * before it: what was changed since, it may not have seen.
   */
  record(
    groups: readonly string[],
    { jobTypes }: Types,
    passed: PassedOver,
    scan: { readonly end: EpochMs; readonly tookMs: number; readonly changes: number },
  ): void {
    if (scan.changes !== this.#changes) return;
    this.#quietUntil = this.#now + Math.min(scan.tookMs * COST, LONGEST_MS);
    const until = passed.until ?? this.#quietUntil;
    if (this.#stretches.size >= MOST) this.#stretches.clear();
    this.#stretches.set(JSON.stringify(groups), { start: passed.start, end: scan.end, until, groups, jobTypes });
  }

  /** The schedule has changed: something may be acquirable from `earliest` on (null: anything). */
  reset(earliest: EpochMs | null): void {
    this.#changes++;
    if (this.#stretches.size === 0) return;
    const kept = [...this.#stretches].filter(([, { start }]) => earliest !== null && earliest > start);
    const shortened = kept.map(([key, each]) => [key, { ...each, end: Math.min(each.end, earliest ?? 0) }] as const);
    this.#stretches = new Map(shortened);
  }

  /**
   * What is due next looks different: others may have scheduled something from `earliest` on. Where many of a full group are due now, that is
   * left to the next reading of them all.
   */
  noticed({ fingerprint, earliest }: Pick<ChangeReading, 'fingerprint' | 'earliest'>): void {
    if (fingerprint === this.#fingerprint || this.#now < this.#quietUntil) return;
    this.#fingerprint = fingerprint;
    if (earliest !== null) this.reset(earliest);
  }

  get #now(): number {
    return this.#node.clock.monotonic();
  }
}

/** The groups of which nothing may begin on the node when the request comes; sorted. */
export function fullGroupsOf({ groupRoom }: Pick<AcquireRequest, 'groupRoom'>): readonly string[] {
  return groupRoom === undefined ? [] : new GroupRoom(groupRoom).full;
}

type Types = Pick<AcquireRequest, 'jobTypes'>;

export function haveSameTypes({ jobTypes: a }: Types, { jobTypes: b }: Types): boolean {
  return a === b || (a.length === b.length && a.every((type, index) => type === b[index]));
}
