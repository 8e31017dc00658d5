import type { Actor } from './operation-context';

/** The last heavy operation of each actor, by name. */
const LAST = new Map<string, Promise<unknown>>();

/** Begins `work` when the heavy operations that the actor asked for before have ended, so that nobody has a node do several at once. */
export async function oneAtATime<Done>({ name }: Pick<Actor, 'name'>, work: () => Promise<Done>): Promise<Done> {
  const before = LAST.get(name) ?? Promise.resolve();
  const done = before.then(work, work);
  LAST.set(name, done);
  try {
    return await done;
  } finally {
    if (LAST.get(name) === done) LAST.delete(name);
  }
}
