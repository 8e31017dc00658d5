/** The smallest value that a share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Describes a list of milliseconds in one line. */
export function describeTimes(values: readonly number[]): string {
  const at = (share: number) => Math.round(percentile(values, share));
  return `${values.length} times: median ${at(0.5)} ms, p99 ${at(0.99)} ms, from ${at(0)} to ${at(1)} ms`;
}

/** Prints measurements under the name of the test. */
export function report(...lines: readonly string[]): void {
  process.stdout.write(`${[expect.getState().currentTestName, ...lines].join('\n  ')}\n`);
}

const ROUNDS = 3;

/**
 * Measures up to three times until a figure is below its bound, and resolves with the best figure. A busy machine makes one round slow, a defect
 * makes all rounds slow.
 */
export async function bestOf(bound: number, measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS && !(best < bound); round++) best = Math.min(best, await measure());
  return best;
}
