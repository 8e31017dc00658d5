/** Milliseconds of the machine's monotonic clock: the same for every process, and going on while one is stopped. */
export function monotonic(): number;
