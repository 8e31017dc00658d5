// The job types of config/schedule.yaml. A job is a function, an object with `execute`, or a class.

/** A heartbeat: the smallest possible job. */
export async function tick() {}

/** Reads its job data from the schedule file. */
export async function report({ data, signal }) {
  await work(Number(data.milliseconds ?? 120), signal);
}

/** Counts its runs: the returned data is stored and passed to the next run. */
export async function cleanup({ data }) {
  return { ...data, runs: Number(data.runs ?? 0) + 1 };
}

/** A class: every firing gets its own instance. */
export class digest {
  async execute({ signal }) {
    await work(200, signal);
  }
}

/** Copies in three steps. The first attempt fails after two of them, and the next one resumes with the third. */
export async function copy({ attempt, resumeFrom, checkpoint, log, signal }) {
  const { done } = resumeFrom ?? { done: 0 };
  for (let step = done + 1; step <= 3; step++) {
    if (attempt === 1 && step === 3) throw new Error('the other side hung up');
    await work(50, signal);
    await checkpoint({ done: step });
    log.info(`step ${step}`);
  }
  return { summary: `steps ${done + 1} to 3` };
}

/** Starts when another job has ended. */
export async function notify({ origin, log }) {
  log.info(`after ${origin.jobKey.name}, run ${origin.runId}`);
}

/** Simulates work, and ends early if the scheduler aborts the run. */
function work(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
