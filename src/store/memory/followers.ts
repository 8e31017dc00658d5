import type { ChainLink } from '../../domain/chain';
import { keyText } from '../../domain/keys';
import type { AfterTrigger } from '../../domain/trigger';
import type { TriggerEntry } from './entries';

/** Triggers that wait for other jobs to end, by the keys of these jobs as strings. */
export class Followers {
  readonly #byParent = new Map<string, Set<TriggerEntry>>();

  has(job: string): boolean {
    return this.#byParent.has(job);
  }

  of(job: string): readonly TriggerEntry[] {
    return [...(this.#byParent.get(job) ?? [])];
  }

  links(): readonly ChainLink[] {
    const entries = new Set([...this.#byParent.values()].flatMap((each) => [...each]));
    return [...entries].map(({ trigger }) => trigger as AfterTrigger);
  }

  add(entry: TriggerEntry): void {
    for (const parent of parentsOf(entry)) {
      this.#byParent.set(parent, (this.#byParent.get(parent) ?? new Set()).add(entry));
    }
  }

  delete(entry: TriggerEntry): void {
    for (const parent of parentsOf(entry)) {
      const entries = this.#byParent.get(parent);
      entries?.delete(entry);
      if (entries?.size === 0) this.#byParent.delete(parent);
    }
  }
}

function parentsOf({ trigger }: TriggerEntry): readonly string[] {
  return trigger.kind === 'AFTER' ? trigger.after.map(keyText) : [];
}
