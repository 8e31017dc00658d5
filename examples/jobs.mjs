// The job types of config/schedule.yaml. A job is a function, an object with `execute`, or a class.

/** A heartbeat: as small as a job can be. */
export async function tick() {}

/** Reads its data, as the schedule file gives it. */
export async function report({ data, signal }) {
  await work(Number(data.milliseconds ?? 120), signal);
}

/** Remembers how often it ran: what it returns is stored and given to the next run. */
export async function cleanup({ data }) {
  return { ...data, runs: Number(data.runs ?? 0) + 1 };
}

/** A class: every firing gets an instance of its own. */
export class digest {
  async execute({ signal }) {
    await work(200, signal);
  }
}

/** Copies in three steps. The first attempt fails after two of them; the next one does the third only. */
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

/** Starts because another job has ended. */
export async function notify({ origin, log }) {
  log.info(`after ${origin.jobKey.name}, run ${origin.runId}`);
}

/** Stands for real work; ends early when the scheduler asks for it. */
function work(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
