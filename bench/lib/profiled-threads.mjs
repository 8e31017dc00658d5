import threads from 'node:worker_threads';

/** With `--cpu-prof`, the store's thread writes a profile too. The scheduler starts it without the options of the process. */
export function profileThreads() {
  const profiling = process.execArgv.filter((option) => option.startsWith('--cpu-prof'));
  if (profiling.length === 0) return;
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(program, options) {
      super(program, { ...options, execArgv: profiling });
    }
  };
}
