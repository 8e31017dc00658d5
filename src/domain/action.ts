import type { EpochMs } from '../base/clock';

/** Record of an action that a user requested through the console, the HTTP API or a command. Contains no secrets. Long strings are shortened. */
export interface ActionRecord {
  /** Time of the action, by the store's clock. */
  readonly time: EpochMs;
  readonly id: string;
  readonly actor: string;
  readonly role: string;
  /** Interface through which the user requested the action. */
  readonly via: string;
  /** Network address of the client; null if the action was requested on this machine. */
  readonly address: string | null;
  readonly operation: string;
  /** Target of the action, such as `jobs/billing/nightly`; empty for the scheduler. */
  readonly target: string;
  /** Input of the operation as JSON. */
  readonly input: string;
  /** Changes that the action made, as JSON; null if unknown. */
  readonly changes: string | null;
  /** Reason why the action failed; null if it succeeded. */
  readonly error: string | null;
}

/** Position in the list of actions, which is sorted newest first. */
export interface ActionPlace {
  readonly time: EpochMs;
  readonly id: string;
}

export interface ActionQuery {
  readonly actor?: string;
  readonly operation?: string;
  /** Substring of the target, the input or the error. Case-insensitive. */
  readonly search?: string;
  /** Only actions at or after this time. */
  readonly since?: EpochMs;
  /** Position after which the returned list starts. Default: the list starts with the newest action. */
  readonly after?: ActionPlace;
  readonly take: number;
}

export interface ActionPage {
  readonly items: readonly ActionRecord[];
  /** Position after which the next page begins; null if there are no more actions. */
  readonly next: ActionPlace | null;
}

/** True if the action matches `actor`, `operation` and `search`. Ignores `since` and the position. */
export function matchesAction(action: ActionRecord, { actor, operation, search }: ActionQuery): boolean {
  if (actor !== undefined && action.actor !== actor) return false;
  if (operation !== undefined && action.operation !== operation) return false;
  if (search === undefined) return true;
  const sought = search.toLowerCase();
  return [action.target, action.input, action.error ?? ''].some((text) => text.toLowerCase().includes(sought));
}

/** True if `place` comes after `other` in the list: it is older, or has the smaller id in the same millisecond. */
export function isBehind(place: ActionPlace, other: ActionPlace): boolean {
  return place.time === other.time ? place.id < other.id : place.time < other.time;
}
