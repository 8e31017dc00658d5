import type { Clock, EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { TriggerKey } from '../../../domain/keys';
import type { UnreadableRow } from '../../../domain/scheduler-event';

/** Which row. */
export type RowSubject = Pick<UnreadableRow, 'what' | 'group' | 'name'>;

/** What fails: taking the row apart, or computing fire times with what it holds. */
type Stage = 'reading' | 'computing';

/** How a row was refused. */
interface Seen {
  readonly stage: Stage;
  /** Of the row as it was then. */
  readonly fingerprint: string;
  /** Of a trigger; null: it must be read again. */
  readonly nextFireTime: EpochMs | null;
  /** Of a trigger: the job and the calendar that its row is read with. */
  readonly uses: readonly RowSubject[];
}

interface Entry extends Seen {
  readonly row: UnreadableRow;
  /** When the row was last seen to be the same. Monotonic. */
  checkedAt: number;
}

/** A trigger that is met in a reading of what may fire. */
export interface MetTrigger {
  readonly key: TriggerKey;
  readonly nextFireTime: EpochMs | null;
  readonly fingerprint: () => string;
  readonly uses: () => readonly RowSubject[];
}

/** The row was refused and has been reported. Rows that are unreadable only because of it need no report of their own. */
export class KnownUnreadable extends Error {}

/** More rows than this are not remembered, but read again each time they are met. */
const MAX_REMEMBERED = 50_000;

/** Reported one by one within a minute; the others are only listed. */
const MAX_REPORTED = 100;
const REPORT_WINDOW_MS = 60_000;

/**
 * The quarantine of one node: the rows that it cannot understand, with a fingerprint of each. A row that is as it was refused
 * is not read again, costs no more than looking up its key, and is reported once. It is forgotten when it changes and can be read.
 */
export class UnreadableRows {
  readonly #clock: Clock;
  readonly #report: (row: UnreadableRow, silenced: boolean) => void;
  readonly #entries = new Map<string, Entry>();
  #triggers = 0;
  #reported = { since: Number.NEGATIVE_INFINITY, count: 0 };

  /** `report` is called once for every row; `silenced`: no further row will be reported for a minute. */
  constructor(clock: Clock, report: (row: UnreadableRow, silenced: boolean) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Whether no trigger is passed over: the usual case, which must cost nothing. */
  get hasNoTrigger(): boolean {
    return this.#triggers === 0;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** What is remembered, the oldest first. */
  get rows(): readonly UnreadableRow[] {
    return [...this.#entries.values()].map(({ row }) => row);
  }

  /** What `read` makes of a row, untried while that is as it was refused. Throws `KnownUnreadable`. */
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

  /** What `read` makes of a trigger with all that it fires with; null: it is passed over, untried while it is as it was refused. */
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

  /** What `compute` makes of a trigger that was read; null: it is passed over from now on. */
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

  /** Takes up that a trigger was refused with `error`. */
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
    // An unreadable job or calendar has been reported itself.
    if (isNew && !(error instanceof KnownUnreadable)) this.#announce(row);
  }

  /** Whether the trigger was refused as it stands at that fire time: enough to pass it over without reading it. */
  isPassedOver(key: TriggerKey, nextFireTime: EpochMs): boolean {
    return this.#entries.get(textOf({ what: 'trigger', ...key }))?.nextFireTime === nextFireTime;
  }

  /** Those of the triggers that were not checked for the longest time, at most `count`. */
  oldest<Key extends TriggerKey>(keys: readonly Key[], count: number): readonly Key[] {
    const checkedAt = (key: Key) => this.#entries.get(textOf({ what: 'trigger', ...key }))?.checkedAt ?? 0;
    const ages = keys.map((key) => ({ key, at: checkedAt(key) }));
    return ages
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ key }) => key);
  }

  /** To be called after this node changed rows: what could not be read because of them is read again. Returns whether there is any. */
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
