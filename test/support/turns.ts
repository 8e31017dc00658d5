import { SystemClock } from '../../src/base/clock';

/** A clock by which each slice of time is over when it is looked at. */
export class HastyClock extends SystemClock {
  #time = 0;

  override monotonic(): number {
    this.#time += 1_000;
    return this.#time;
  }
}

/** What the work results in, and how many turns the event loop has had meanwhile. */
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
