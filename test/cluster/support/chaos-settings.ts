/** Approximate duration of the long form of a test; 0 in the short form, which every test run contains. */
export const CHAOS_SECONDS = Number(process.env.CHAOS_SECONDS ?? 0);

/** True for `npm run test:chaos`: each cluster runs alone on the machine, so that lateness has strict limits. */
export const IS_ALONE = CHAOS_SECONDS > 0;

/** Seed of the random values of the long form. */
export const CHAOS_SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));

/** Integers from 0 to below `below`, reproducible by the seed. A linear congruential generator is random enough. */
export function seededDraw(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
