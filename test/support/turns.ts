import { SystemClock } from '../../src/base/clock';

/** A clock by which each time slice has ended at its first check. */
export class HastyClock extends SystemClock {
  #time = 0;

  override monotonic(): number {
    this.#time += 1_000;
    return this.#time;
  }
}

/** Result of the work, and the number of turns of the event loop until its end. */
export async function countTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    if (isDone) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  isDone = true;
  return { result, turns };
}
