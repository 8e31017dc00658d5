/** A job should end early when `signal` aborts: at the shutdown deadline, when it is interrupted, or when the node loses its lease. */
export const jobs = {
  'daily-report': async ({ log, signal }) => {
    signal.throwIfAborted();
    log.info('the report is written');
  },
};
