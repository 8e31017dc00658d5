import type { EpochMs } from '../base/clock';

/** What somebody did from outside the program, as it is recorded: nothing of it is secret, and nothing is long. */
export interface ActionRecord {
  /** By the store's clock. */
  readonly time: EpochMs;
  readonly id: string;
  readonly actor: string;
  readonly role: string;
  /** The face through which it was done. */
  readonly via: string;
  /** Null: this machine. */
  readonly address: string | null;
  readonly operation: string;
  /** What it was done to, such as `jobs/billing/nightly`; empty: the scheduler. */
  readonly subject: string;
  /** JSON. */
  readonly input: string;
  /** What it changed, as JSON; null: nothing is known of that. */
  readonly changes: string | null;
  /** Why it was not done; null: it was. */
  readonly error: string | null;
}

/** A place in the list of actions, which has the newest first. */
export interface ActionPlace {
  readonly time: EpochMs;
  readonly id: string;
}

/** Which actions. */
export interface ActionQuery {
  readonly actor?: string;
  readonly operation?: string;
  /** Part of what it was done to, of the input or of the error; upper and lower case alike. */
  readonly search?: string;
  /** At or after. */
  readonly since?: EpochMs;
  /** Those behind this place; absent: from the newest on. */
  readonly after?: ActionPlace;
  readonly take: number;
}

export interface ActionPage {
  readonly items: readonly ActionRecord[];
  /** Where to read on: there may be more behind it; null: there is none. */
  readonly next: ActionPlace | null;
}

/** Whether it is one of those that are asked for, wherever it stands in the list. */
export function matchesAction(action: ActionRecord, { actor, operation, search }: ActionQuery): boolean {
  if (actor !== undefined && action.actor !== actor) return false;
  if (operation !== undefined && action.operation !== operation) return false;
  if (search === undefined) return true;
  const sought = search.toLowerCase();
  return [action.subject, action.input, action.error ?? ''].some((text) => text.toLowerCase().includes(sought));
}

/** The newest first; two of the same millisecond by their ids. */
export function isBehind(place: ActionPlace, other: ActionPlace): boolean {
  return place.time === other.time ? place.id < other.id : place.time < other.time;
}
