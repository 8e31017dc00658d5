import type { Clock, EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { TriggerKey } from '../../../domain/keys';
import type { UnreadableRow } from '../../../domain/scheduler-event';

export type RowTarget = Pick<UnreadableRow, 'what' | 'group' | 'name'>;

/** Step that failed: decoding the row, or computing fire times from it. */
type Stage = 'reading' | 'computing';

/** State of a row when this node last failed to read or compute it. */
interface Seen {
  readonly stage: Stage;
  readonly fingerprint: string;
  /** Next fire time of a trigger; null if the row must be read again. */
  readonly nextFireTime: EpochMs | null;
  /** Job and calendar that are needed to read the trigger. */
  readonly uses: readonly RowTarget[];
}

interface Entry extends Seen {
  readonly row: UnreadableRow;
  /** Monotonic time at which the row was last found unchanged, in milliseconds. */
  checkedAt: number;
}

/** A trigger found while reading triggers that may fire. */
export interface MetTrigger {
  readonly key: TriggerKey;
  readonly nextFireTime: EpochMs | null;
  readonly fingerprint: () => string;
  readonly uses: () => readonly RowTarget[];
}

/** Thrown for an unreadable row that has already been reported. Other rows that are unreadable only because of this row are not reported. */
export class KnownUnreadable extends Error {}

/** Maximum number of unreadable rows to remember. Any further unreadable row is read again each time it is found. */
const MAX_REMEMBERED = 50_000;

/** Maximum number of reports within `REPORT_WINDOW_MS`. Further rows are listed but not reported. */
const MAX_REPORTED = 100;
const REPORT_WINDOW_MS = 60_000;

/**
 * Quarantine of one node: the rows that this node cannot read, each with a fingerprint. An unchanged row is not read again. It costs only a
 * lookup by key, and is reported once. A row leaves the quarantine when it has changed and become readable.
 */
export class UnreadableRows {
  readonly #clock: Clock;
  readonly #report: (row: UnreadableRow, silenced: boolean) => void;
  readonly #entries = new Map<string, Entry>();
  #triggers = 0;
  #reported = { since: Number.NEGATIVE_INFINITY, count: 0 };

  /** `report` is called once per row and cause. `silenced`: no further row will be reported within the same minute. */
  constructor(clock: Clock, report: (row: UnreadableRow, silenced: boolean) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** True if no trigger is unreadable. This is the usual case, which must not cost time. */
  get hasNoTrigger(): boolean {
    return this.#triggers === 0;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Unreadable rows, oldest first. */
  get rows(): readonly UnreadableRow[] {
    return [...this.#entries.values()].map(({ row }) => row);
  }

  /** Returns `read()`. Throws `KnownUnreadable` if the row is unreadable, without calling `read` if the row is unchanged since `read` last failed. */
  read<T>(target: RowTarget, fingerprint: () => string, read: () => T): T {
    const known = this.#entries.size === 0 ? undefined : this.#entries.get(textOf(target));
    if (known !== undefined && this.#isSame(known, fingerprint())) throw new KnownUnreadable(known.row.cause);
    try {
      const value = read();
      if (known !== undefined) this.forget(target);
      return value;
    } catch (error) {
      this.#note(target, { stage: 'reading', fingerprint: fingerprint(), nextFireTime: null, uses: [] }, error);
      throw new KnownUnreadable(toError(error).message);
    }
  }

  /** Like `read`, for a trigger with its job and calendar. Returns null if the trigger is unreadable and must be skipped. */
  readTrigger<T>(met: MetTrigger, read: () => T): T | null {
    const target = { what: 'trigger', ...met.key } as const;
    const known = this.hasNoTrigger ? undefined : this.#entries.get(textOf(target));
    if (known !== undefined && this.#isSame(known, met.fingerprint())) return null;
    try {
      const value = read();
      if (known?.stage === 'reading') this.forget(target);
      return value;
    } catch (error) {
      this.noteTrigger(met, error);
      return null;
    }
  }

  /** Returns the result of `compute` for a trigger that was read. Null if `compute` fails and the trigger must be skipped. */
  compute<T>(met: MetTrigger, compute: () => T): T | null {
    const target = { what: 'trigger', ...met.key } as const;
    try {
      const value = compute();
      const known = this.hasNoTrigger ? undefined : this.#entries.get(textOf(target));
      if (known?.stage === 'computing') this.forget(target);
      return value;
    } catch (error) {
      this.noteTrigger(met, error, 'computing');
      return null;
    }
  }

  noteTrigger({ key, nextFireTime, fingerprint, uses }: MetTrigger, error: unknown, stage: Stage = 'reading'): void {
    this.#note({ what: 'trigger', ...key }, { stage, fingerprint: fingerprint(), nextFireTime, uses: uses() }, error);
  }

  #note(target: RowTarget, seen: Seen, error: unknown): void {
    const text = textOf(target);
    const known = this.#entries.get(text);
    if (known === undefined && this.#entries.size >= MAX_REMEMBERED) return;
    const { message } = toError(error);
    const isNew = known?.row.cause !== message;
    const { what, group, name } = target;
    const row = isNew ? { what, group, name, cause: message, since: this.#clock.now() } : known.row;
    this.#entries.set(text, { row, ...seen, checkedAt: this.#clock.monotonic() });
    if (known === undefined && what === 'trigger') this.#triggers += 1;
    // An unreadable job or calendar has its own report.
    if (isNew && !(error instanceof KnownUnreadable)) this.#announce(row);
  }

  /** True if reading or computing the trigger failed when it had this fire time. The trigger can then be skipped without reading its row. */
  isSkipped(key: TriggerKey, nextFireTime: EpochMs): boolean {
    return this.#entries.get(textOf({ what: 'trigger', ...key }))?.nextFireTime === nextFireTime;
  }

  /** Returns the `count` triggers that were checked longest ago. */
  oldest<Key extends TriggerKey>(keys: readonly Key[], count: number): readonly Key[] {
    const checkedAt = (key: Key) => this.#entries.get(textOf({ what: 'trigger', ...key }))?.checkedAt ?? 0;
    const ages = keys.map((key) => ({ key, at: checkedAt(key) }));
    return ages
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ key }) => key);
  }

  /** Must be called after this node has changed rows. Unreadable rows among them, or that use one, are read again. Returns true if there are any. */
  changed(targets: () => readonly RowTarget[]): boolean {
    if (this.#entries.size === 0) return false;
    const texts = new Set(targets().map(textOf));
    let isAny = false;
    for (const [text, entry] of this.#entries) {
      if (!texts.has(text) && !entry.uses.some((used) => texts.has(textOf(used)))) continue;
      this.#entries.set(text, { ...entry, nextFireTime: null });
      isAny = true;
    }
    return isAny;
  }

  forget(target: RowTarget): void {
    if (this.#entries.delete(textOf(target)) && target.what === 'trigger') this.#triggers -= 1;
  }

  #isSame(entry: Entry, fingerprint: string): boolean {
    if (entry.fingerprint !== fingerprint) return false;
    entry.checkedAt = this.#clock.monotonic();
    return true;
  }

  #announce(row: UnreadableRow): void {
    const now = this.#clock.monotonic();
    if (now - this.#reported.since >= REPORT_WINDOW_MS) this.#reported = { since: now, count: 0 };
    this.#reported.count += 1;
    if (this.#reported.count <= MAX_REPORTED) this.#report(row, this.#reported.count === MAX_REPORTED);
  }
}

function textOf({ what, group, name }: RowTarget): string {
  return `${what}\n${group ?? ''}\n${name}`;
}
