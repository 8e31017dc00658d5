import type { EpochMs } from '../../base/clock';
import { type ActionPage, type ActionQuery, type ActionRecord, isBehind, matchesAction } from '../../domain/action';

/** Maximum number of stored actions: about 10 MB if the actions are short. Memory use has no other limit. */
const MAX_KEPT = 10_000;

export class ActionList {
  readonly #actions: ActionRecord[] = [];

  /** Does not change an action that is already recorded. Beyond 10,000 actions, drops the oldest. */
  add(action: ActionRecord): void {
    // A new action is nearly always the newest one.
    const index = this.#actions.findIndex((each) => !isBehind(action, each));
    const place = index === -1 ? this.#actions.length : index;
    if (this.#actions[place]?.id === action.id) return;
    this.#actions.splice(place, 0, action);
    if (this.#actions.length > MAX_KEPT) this.#actions.pop();
  }

  query(query: ActionQuery): ActionPage {
    const { since = Number.NEGATIVE_INFINITY, after, take } = query;
    const found: ActionRecord[] = [];
    for (const action of this.#actions) {
      if (action.time < since) break;
      if (after !== undefined && !isBehind(action, after)) continue;
      if (!matchesAction(action, query)) continue;
      if (found.length === take) {
        const { time, id } = found.at(-1) as ActionRecord;
        return { items: found, next: { time, id } };
      }
      found.push(action);
    }
    return { items: found, next: null };
  }

  prune(before: EpochMs, maxCount: number): number {
    const first = this.#actions.findIndex(({ time }) => time < before);
    if (first === -1) return 0;
    return this.#actions.splice(Math.max(first, this.#actions.length - maxCount)).length;
  }
}
