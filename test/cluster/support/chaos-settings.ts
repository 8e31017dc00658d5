/** How long the long form of a test goes on, about; 0 in the short form, which every test run contains. */
export const CHAOS_SECONDS = Number(process.env.CHAOS_SECONDS ?? 0);

/** True for `npm run test:chaos`: each cluster has the machine for itself, so that lateness can be judged strictly. */
export const IS_ALONE = CHAOS_SECONDS > 0;

/** What is random in the long form repeats with it. */
export const CHAOS_SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));

/** Whole numbers from 0 to below `below`, always the same after the same seed: a linear congruential generator is random enough. */
export function seededDraw(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
