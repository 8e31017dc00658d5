import type { EpochMs } from '../base/clock';

/** Record of an action that was requested from outside the program. It contains no secrets and no long texts. */
export interface ActionRecord {
  /** Time by the store's clock. */
  readonly time: EpochMs;
  readonly id: string;
  readonly actor: string;
  readonly role: string;
  /** Interface through which the action was requested. */
  readonly via: string;
  /** Network address; null for this machine. */
  readonly address: string | null;
  readonly operation: string;
  /** Target of the action, such as `jobs/billing/nightly`; empty for the scheduler. */
  readonly subject: string;
  /** Input of the operation as JSON. */
  readonly input: string;
  /** Changes made, as JSON; null if unknown. */
  readonly changes: string | null;
  /** Reason why the action was not done; null if it was done. */
  readonly error: string | null;
}

/** A position in the list of actions, newest first. */
export interface ActionPlace {
  readonly time: EpochMs;
  readonly id: string;
}

/** Filter for actions. */
export interface ActionQuery {
  readonly actor?: string;
  readonly operation?: string;
  /** Substring of the target, the input or the error. Case-insensitive. */
  readonly search?: string;
  /** Only actions at or after this time. */
  readonly since?: EpochMs;
  /** Returns only actions after this position. Default: from the newest on. */
  readonly after?: ActionPlace;
  readonly take: number;
}

export interface ActionPage {
  readonly items: readonly ActionRecord[];
  /** Position from which to read on; null if there are no more actions. */
  readonly next: ActionPlace | null;
}

/** True if the action passes the filter, regardless of its position in the list. */
export function matchesAction(action: ActionRecord, { actor, operation, search }: ActionQuery): boolean {
  if (actor !== undefined && action.actor !== actor) return false;
  if (operation !== undefined && action.operation !== operation) return false;
  if (search === undefined) return true;
  const sought = search.toLowerCase();
  return [action.subject, action.input, action.error ?? ''].some((text) => text.toLowerCase().includes(sought));
}

/** True if `place` comes after `other` in the list: it is older, or has the smaller id in the same millisecond. */
export function isBehind(place: ActionPlace, other: ActionPlace): boolean {
  return place.time === other.time ? place.id < other.id : place.time < other.time;
}
