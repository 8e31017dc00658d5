/**
 * Milliseconds of the fastest of three runs, in time of the processor: first-time work makes single ones slow, and other processes
 * any of them by the clock.
 */
export function fastestRun(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
