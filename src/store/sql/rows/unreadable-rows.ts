import type { Clock, EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { TriggerKey } from '../../../domain/keys';
import type { UnreadableRow } from '../../../domain/scheduler-event';

/** Identity of a row. */
export type RowSubject = Pick<UnreadableRow, 'what' | 'group' | 'name'>;

/** The step that fails: decoding the row, or computing fire times from it. */
type Stage = 'reading' | 'computing';

/** State of a row when it was refused. */
interface Seen {
  readonly stage: Stage;
  /** Fingerprint of the row when it was refused. */
  readonly fingerprint: string;
  /** Next fire time of a trigger; null if it must be read again. */
  readonly nextFireTime: EpochMs | null;
  /** Job and calendar that a trigger's row is read with. */
  readonly uses: readonly RowSubject[];
}

interface Entry extends Seen {
  readonly row: UnreadableRow;
  /** Time at which the row was last found unchanged, by the monotonic clock. */
  checkedAt: number;
}

/** A trigger found while reading triggers that may fire. */
export interface MetTrigger {
  readonly key: TriggerKey;
  readonly nextFireTime: EpochMs | null;
  readonly fingerprint: () => string;
  readonly uses: () => readonly RowSubject[];
}

/** Thrown for a row that was refused and has been reported. Rows that are unreadable only because of it are not reported. */
export class KnownUnreadable extends Error {}

/** Maximum number of remembered rows. Further rows are read again each time they are found. */
const MAX_REMEMBERED = 50_000;

/** Maximum number of reports within a minute. Further rows are only listed. */
const MAX_REPORTED = 100;
const REPORT_WINDOW_MS = 60_000;

/**
 * Quarantine of one node: rows that it cannot read, each with a fingerprint. A row that is unchanged since it was refused is not read again,
 * costs only a lookup by key, and is reported once. It is forgotten when it changes and becomes readable.
 */
export class UnreadableRows {
  readonly #clock: Clock;
  readonly #report: (row: UnreadableRow, silenced: boolean) => void;
  readonly #entries = new Map<string, Entry>();
  #triggers = 0;
  #reported = { since: Number.NEGATIVE_INFINITY, count: 0 };

  /** `report` is called once per row. `silenced`: no further row will be reported for a minute. */
  constructor(clock: Clock, report: (row: UnreadableRow, silenced: boolean) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** True if no trigger is unreadable. This is the usual case, which must cost nothing. */
  get hasNoTrigger(): boolean {
    return this.#triggers === 0;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Remembered rows, oldest first. */
  get rows(): readonly UnreadableRow[] {
    return [...this.#entries.values()].map(({ row }) => row);
  }

  /** Returns the result of `read` for a row, without trying if the row is unchanged since it was refused. Throws `KnownUnreadable`. */
  read<T>(subject: RowSubject, fingerprint: () => string, read: () => T): T {
    const known = this.#entries.size === 0 ? undefined : this.#entries.get(textOf(subject));
    if (known !== undefined && this.#isSame(known, fingerprint())) throw new KnownUnreadable(known.row.cause);
    try {
      const value = read();
      if (known !== undefined) this.forget(subject);
      return value;
    } catch (error) {
      this.#note(subject, { stage: 'reading', fingerprint: fingerprint(), nextFireTime: null, uses: [] }, error);
      throw new KnownUnreadable(toError(error).message);
    }
  }

  /**
   * Returns the result of `read` for a trigger with its job and calendar. Null if the trigger is skipped; one that is unchanged since it was
   * refused is not read.
   */
  readTrigger<T>(met: MetTrigger, read: () => T): T | null {
    const subject = { what: 'trigger', ...met.key } as const;
    const known = this.hasNoTrigger ? undefined : this.#entries.get(textOf(subject));
    if (known !== undefined && this.#isSame(known, met.fingerprint())) return null;
    try {
      const value = read();
      if (known?.stage === 'reading') this.forget(subject);
      return value;
    } catch (error) {
      this.noteTrigger(met, error);
      return null;
    }
  }

  /** Returns the result of `compute` for a trigger that was read; null if it fails, which skips the trigger from now on. */
  compute<T>(met: MetTrigger, compute: () => T): T | null {
    const subject = { what: 'trigger', ...met.key } as const;
    try {
      const value = compute();
      const known = this.hasNoTrigger ? undefined : this.#entries.get(textOf(subject));
      if (known?.stage === 'computing') this.forget(subject);
      return value;
    } catch (error) {
      this.noteTrigger(met, error, 'computing');
      return null;
    }
  }

  /** Records that a trigger was refused with `error`. */
  noteTrigger({ key, nextFireTime, fingerprint, uses }: MetTrigger, error: unknown, stage: Stage = 'reading'): void {
    this.#note({ what: 'trigger', ...key }, { stage, fingerprint: fingerprint(), nextFireTime, uses: uses() }, error);
  }

  #note(subject: RowSubject, seen: Seen, error: unknown): void {
    const text = textOf(subject);
    const known = this.#entries.get(text);
    if (known === undefined && this.#entries.size >= MAX_REMEMBERED) return;
    const { message } = toError(error);
    const isNew = known?.row.cause !== message;
    const { what, group, name } = subject;
    const row = isNew ? { what, group, name, cause: message, since: this.#clock.now() } : known.row;
    this.#entries.set(text, { row, ...seen, checkedAt: this.#clock.monotonic() });
    if (known === undefined && what === 'trigger') this.#triggers += 1;
    // An unreadable job or calendar has its own report.
    if (isNew && !(error instanceof KnownUnreadable)) this.#announce(row);
  }

  /** True if the trigger was refused with this fire time, which is enough to skip it without reading it. */
  isPassedOver(key: TriggerKey, nextFireTime: EpochMs): boolean {
    return this.#entries.get(textOf({ what: 'trigger', ...key }))?.nextFireTime === nextFireTime;
  }

  /** Returns the `count` triggers that have not been checked for the longest time. */
  oldest<Key extends TriggerKey>(keys: readonly Key[], count: number): readonly Key[] {
    const checkedAt = (key: Key) => this.#entries.get(textOf({ what: 'trigger', ...key }))?.checkedAt ?? 0;
    const ages = keys.map((key) => ({ key, at: checkedAt(key) }));
    return ages
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ key }) => key);
  }

  /** Must be called after this node has changed rows: rows that were unreadable because of them are read again. Returns true if there are any. */
  changed(subjects: () => readonly RowSubject[]): boolean {
    if (this.#entries.size === 0) return false;
    const texts = new Set(subjects().map(textOf));
    let isAny = false;
    for (const [text, entry] of this.#entries) {
      if (!texts.has(text) && !entry.uses.some((used) => texts.has(textOf(used)))) continue;
      this.#entries.set(text, { ...entry, nextFireTime: null });
      isAny = true;
    }
    return isAny;
  }

  forget(subject: RowSubject): void {
    if (this.#entries.delete(textOf(subject)) && subject.what === 'trigger') this.#triggers -= 1;
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

function textOf({ what, group, name }: RowSubject): string {
  return `${what}\n${group ?? ''}\n${name}`;
}
