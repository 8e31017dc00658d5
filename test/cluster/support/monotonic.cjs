/** Milliseconds of the machine's monotonic clock, which is the same for every process, and continues while a process is stopped. */
exports.monotonic = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
