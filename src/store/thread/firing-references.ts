import type { Completion } from '../../domain/completion';
import type { AcquiredTrigger, TriggerFiring } from '../../domain/firing';
import type { HandedOut } from '../cluster-store';
import { forwarder, invoke } from './connection';

/*
 * A trigger that the store hands out crosses between the threads once; what comes back of it is its id. Sent back whole, it would cost
 * as much again: 10 µs of CPU, more than a tenth of all that a firing takes. Both ends follow the same rule: a call that succeeds uses
 * up the triggers in the list that is its first argument, and then hands out those in its result.
 */

type Trigger = AcquiredTrigger | TriggerFiring;

/** In place of a trigger that the other end has. */
interface Reference {
  readonly handedOut: string;
}

interface Side {
  readonly translate: (named: Trigger | Reference) => Trigger | Reference;
  readonly forget: (named: Trigger | Reference) => void;
  readonly remember: (trigger: Trigger) => void;
}

/** In the scheduler's thread: a store that sends references to what it was handed. What is its `own` is not sent. */
export function referringStore<Store extends object>(store: Store, own: Partial<Store> = {}): Store {
  const known = new WeakSet<object>();
  const side: Side = {
    translate: (named) => ('runId' in named && known.has(named) ? { handedOut: named.runId } : named),
    forget: (named) => known.delete(named),
    remember: (trigger) => known.add(trigger),
  };
  return exchanging(store, side, own);
}

/** In the store's thread: a store that keeps what it hands out until it is used up. */
export function resolvingStore<Store extends object>(store: Store): Store {
  const kept = new Map<string, Trigger>();
  const side: Side = {
    translate(named) {
      if ('runId' in named) return named;
      const found = kept.get(named.handedOut);
      if (found === undefined) throw new TypeError(`Nothing was handed out as '${named.handedOut}'.`);
      return found;
    },
    forget: (named) => kept.delete('runId' in named ? named.runId : named.handedOut),
    remember: (trigger) => kept.set(trigger.runId, trigger),
  };
  return exchanging(store, side);
}

function exchanging<Store extends object>(store: Store, side: Side, own?: Partial<Store>): Store {
  const call = async (name: string, [first, ...rest]: readonly unknown[]) => {
    const list: readonly unknown[] = Array.isArray(first) ? first : [];
    const sent = list === first ? list.map((each) => translated(each, side.translate)) : first;
    const result = await invoke(store, name, [sent, ...rest]);
    for (const each of list) {
      const named = triggerOf(each);
      if (named !== null) side.forget(named);
    }
    for (const each of handedOutIn(result)) side.remember(each);
    return result;
  };
  return forwarder(call, own);
}

function translated(item: unknown, translate: Side['translate']): unknown {
  const named = triggerOf(item);
  if (named === null) return item;
  return named === item ? translate(named) : withFiring(item as Completion, translate(named));
}

/** A completion with another `firing`; a spread would take ten times as long. */
function withFiring(
  { instruction, jobData, further, parts, run, end }: Completion,
  firing: Trigger | Reference,
): object {
  if (further !== undefined || run !== undefined || end !== undefined)
    return { firing, instruction, jobData, further, parts, run, end };
  return jobData === undefined ? { firing, instruction } : { firing, instruction, jobData };
}

/** The item itself, or the `firing` of a completion; null: it is something else. */
function triggerOf(item: unknown): Trigger | Reference | null {
  if (typeof item !== 'object' || item === null) return null;
  const named = (item as { readonly firing?: Trigger | Reference }).firing ?? (item as Trigger | Reference);
  return 'runId' in named || 'handedOut' in named ? named : null;
}

function handedOutIn(result: unknown): readonly Trigger[] {
  if (typeof result !== 'object' || result === null) return [];
  const { acquired = [], fired = [] }: Partial<HandedOut> = Array.isArray(result) ? { fired: result } : result;
  return [...acquired, ...fired.flatMap((each) => (each?.status === 'fired' ? [each.firing] : []))];
}
