// A node process that a supervisor replaces: on SIGTERM it shuts down within its deadline, and exits. Each line of its file is one write.
const { openSync, writeSync } = require('node:fs');

const [settings] = process.argv.slice(2).map((text) => JSON.parse(text));
const { dist, config, file, node, deadline, hangs } = settings;
const { createScheduler } = require(`${dist}/index.js`);

const log = openSync(file, 'a');
const write = (line) => writeSync(log, `${JSON.stringify({ ...line, node, at: Date.now() })}\n`);

const sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Works for `duration` in ten steps, from its checkpoint on. `stubborn`: ignores its signal. `failing`: number of attempts that fail. */
async function work(context) {
  const { runId, occurrenceId, attempt, shard, signal, resumeFrom, data, jobDetail } = context;
  const of = {
    runId,
    occurrence: shard === null ? occurrenceId : `${occurrenceId} ${shard.index}`,
    job: jobDetail.key.name,
  };
  write({ line: 'begin', ...of, attempt, resumeFrom });
  if (hangs) await new Promise(() => setInterval(() => undefined, 60_000));
  const { duration = 0, saves = false, stubborn = false, failing = 0 } = data;
  try {
    if (attempt <= failing) throw new Error('failed by itself');
    for (let step = resumeFrom ?? 0; step < 10 && duration > 0; step++) {
      await sleep(duration / 10, stubborn ? undefined : signal);
      const saved = () => write({ line: 'saved', ...of, step: step + 1 });
      if (saves) context.checkpoint(step + 1).then(saved, () => undefined);
    }
    write({ line: 'end', ...of });
  } catch (error) {
    write({ line: 'end', ...of, error: error.message });
    throw error;
  }
}

/** Starts a chain, and never hangs. */
const first = () => undefined;

async function main() {
  const scheduler = await createScheduler(config, { jobs: { work, first } });
  scheduler.subscribe(({ type, error, during }) => {
    if (type === 'schedulerError' && error.code !== 'JOB_EXECUTION')
      write({ line: 'error', error: error.message, during });
  });
  process.once('SIGTERM', async () => {
    const report = await scheduler.shutdown({ waitForJobs: true, deadline });
    write({ line: 'down', report });
    process.exit(0);
  });
  await scheduler.start();
  process.send('up');
}

main().catch((error) => {
  write({ line: 'crash', error: error.stack });
  process.exit(1);
});
