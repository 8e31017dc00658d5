import type { EpochMs } from '../../base/clock';
import { keyText, type TriggerKey } from '../../domain/keys';
import type { PutOff } from '../../domain/rate-capacity';
import { stateOf, type TriggerEntry } from './entries';

interface Place {
  readonly key: TriggerKey;
  readonly text: string;
  readonly due: EpochMs;
  /** Run id of the deferred firing. The trigger of the deferred run is stored when this run is completed. */
  readonly runId: string;
}

/** Next fire time of a deferred firing's trigger. Null: it waits but cannot be moved. `held`: held back, as by a pause. `gone`: no longer waits. */
export type TurnIn = (key: TriggerKey, runId: string) => EpochMs | null | 'held' | 'gone';

/** `isRunning`: true while the firing that was deferred runs, before its trigger is stored. */
export function turnOf(entry: TriggerEntry | null, isRunning: boolean): ReturnType<TurnIn> {
  if (entry === null) return isRunning ? null : 'gone';
  const state = stateOf(entry);
  if (state === 'WAITING') return entry.trigger.nextFireTime;
  return state === 'ACQUIRED' ? null : 'held';
}

/** Firings deferred by rate limits, in the order of their due times. Firings that no longer wait are removed when they are read. */
export class RateLines {
  readonly #turnIn: TurnIn;
  readonly #lines = new Map<string, Place[]>();
  readonly #places = new Map<string, { readonly rateKey: string; readonly due: EpochMs }>();

  constructor(turnIn: TurnIn) {
    this.#turnIn = turnIn;
  }

  /** Returns at most `count` firings from the front of the line, without firings that are held back. Removes firings that no longer wait. */
  first(rateKey: string, count: number): readonly PutOff[] {
    const found: PutOff[] = [];
    const gone: TriggerKey[] = [];
    for (const { key, due, runId } of this.#lines.get(rateKey) ?? []) {
      const turn = this.#turnIn(key, runId);
      if (turn === 'gone') gone.push(key);
      else if (turn !== 'held') found.push({ key, due, turn });
      if (found.length === count) break;
    }
    for (const key of gone) this.leave(key);
    return found;
  }

  join({ key: rateKey, due }: { readonly key: string; readonly due: EpochMs }, key: TriggerKey, runId: string): void {
    const place: Place = { key, text: keyText(key), due, runId };
    const line = this.#lines.get(rateKey) ?? [];
    this.#lines.set(rateKey, line);
    const behind = line.findLastIndex((each) => each.due < due || (each.due === due && each.text < place.text)) + 1;
    line.splice(behind, 0, place);
    this.#places.set(place.text, { rateKey, due });
  }

  dueOf(triggerText: string): EpochMs | null {
    return this.#places.get(triggerText)?.due ?? null;
  }

  leave(key: TriggerKey): void {
    const text = keyText(key);
    const rateKey = this.#places.get(text)?.rateKey;
    if (rateKey === undefined) return;
    this.#places.delete(text);
    const line = this.#lines.get(rateKey) ?? [];
    const index = line.findIndex((each) => each.text === text);
    if (index >= 0) line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(rateKey);
  }
}
