/** Milliseconds of the machine's monotonic clock: the same for every process, and going on while one is stopped. */
exports.monotonic = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
