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
