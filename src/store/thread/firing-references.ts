import type { Completion } from '../../domain/completion';
import type { AcquiredTrigger, FireResult, TriggerFiring } from '../../domain/firing';
import type { AcquireResult, CompletionOutcome, FiringStore, JobStore } from '../job-store';

/*
 * A firing crosses between the threads once, when it is handed out; what comes back of it is its id. Sent back whole, it
 * would cost as much again: about 10 µs of CPU, a tenth of all that a firing takes (`npm run bench -- store-thread`).
 */

/** A trigger or firing by its id, if the other end has handed it out; else itself. */
type Reference<Value extends object> = string | Value;

type CompletionReference = Omit<Completion, 'firing'> & { readonly firing: Reference<TriggerFiring> };

/** The firing part of a store as the two threads speak it: references instead of what has crossed already. */
export interface ReferringStore {
  applySchedule: JobStore['applySchedule'];
  acquireTriggers: FiringStore['acquireTriggers'];
  releaseTriggers(acquired: readonly Reference<AcquiredTrigger>[]): Promise<void>;
  fireTriggers(acquired: readonly Reference<AcquiredTrigger>[], now: number): Promise<readonly FireResult[]>;
  completeTriggers(completions: readonly CompletionReference[]): Promise<readonly CompletionOutcome[]>;
}

type Firings = Pick<JobStore, keyof ReferringStore>;

/** In the store's thread: keeps what it hands out until it is done with, and understands references to it. */
export function resolvingStore(store: Firings): ReferringStore {
  const acquired = new Map<string, AcquiredTrigger>();
  const firings = new Map<string, TriggerFiring>();

  const keep = ({ acquired: reserved, fired }: AcquireResult) => {
    for (const each of reserved) acquired.set(each.fireInstanceId, each);
    for (const each of fired) if (each.status === 'fired') firings.set(each.firing.fireInstanceId, each.firing);
  };
  const forget = (references: readonly CompletionReference[]) => {
    for (const { firing } of references) if (typeof firing === 'string') firings.delete(firing);
  };
  return {
    async applySchedule(changes, options) {
      const applied = await store.applySchedule(changes, options);
      for (const firing of applied.fired) firings.set(firing.fireInstanceId, firing);
      return applied;
    },
    async acquireTriggers(request) {
      const result = await store.acquireTriggers(request);
      keep(result);
      return result;
    },
    async releaseTriggers(references) {
      await store.releaseTriggers(references.map((each) => resolved(each, acquired)));
      for (const each of references) {
        if (typeof each === 'string') acquired.delete(each);
        else firings.delete(each.fireInstanceId); // fired, and let go of
      }
    },
    async fireTriggers(references, now) {
      const fired = await store.fireTriggers(
        references.map((each) => resolved(each, acquired)),
        now,
      );
      for (const each of references) if (typeof each === 'string') acquired.delete(each);
      keep({ acquired: [], fired });
      return fired;
    },
    async completeTriggers(references) {
      const completions = references.map((each) => withFiring(each, resolved(each.firing, firings)));
      const outcomes = await store.completeTriggers(completions);
      forget(references);
      return outcomes;
    },
  };
}

/** In the other thread: a store that sends back references to what it has been given. */
export function referringStore(store: ReferringStore): Firings {
  const known = new WeakSet<AcquiredTrigger | TriggerFiring>();

  const note = ({ acquired, fired }: AcquireResult) => {
    for (const each of acquired) known.add(each);
    for (const each of fired) if (each.status === 'fired') known.add(each.firing);
  };
  const forget = (completions: readonly Completion[]) => {
    for (const { firing } of completions) known.delete(firing);
  };
  const toReference = <Value extends AcquiredTrigger | TriggerFiring>(value: Value): Reference<Value> =>
    known.has(value) ? value.fireInstanceId : value;
  return {
    async applySchedule(changes, options) {
      const applied = await store.applySchedule(changes, options);
      for (const firing of applied.fired) known.add(firing);
      return applied;
    },
    async acquireTriggers(request) {
      const result = await store.acquireTriggers(request);
      note(result);
      return result;
    },
    async releaseTriggers(acquired) {
      await store.releaseTriggers(acquired.map(toReference));
      for (const each of acquired) known.delete(each); // as the other end does
    },
    async fireTriggers(acquired, now) {
      const fired = await store.fireTriggers(acquired.map(toReference), now);
      for (const each of acquired) known.delete(each);
      note({ acquired: [], fired });
      return fired;
    },
    async completeTriggers(completions) {
      const references = completions.map((each) => withFiring(each, toReference(each.firing)));
      const outcomes = await store.completeTriggers(references);
      forget(completions);
      return outcomes;
    },
  };
}

/** Always of the same form: a spread of it takes several, and code that was compiled for one is thrown away at the next. */
function withFiring<F>({ instruction, jobData }: Omit<Completion, 'firing'>, firing: F) {
  return jobData === undefined ? { firing, instruction } : { firing, instruction, jobData };
}

function resolved<Value extends object>(reference: Reference<Value>, handedOut: ReadonlyMap<string, Value>): Value {
  if (typeof reference !== 'string') return reference;
  const found = handedOut.get(reference);
  if (found === undefined) throw new TypeError(`Nothing was handed out as '${reference}'.`);
  return found;
}
