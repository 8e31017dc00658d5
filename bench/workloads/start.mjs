import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { progress } from '../lib/contest.mjs';
import { machine } from '../lib/report.mjs';
import { databaseServer } from '../lib/server.mjs';
import { formatSummary, median, summary } from '../lib/statistics.mjs';

export const usage = `  start [--rounds 15] [--url mysql://…] [--against FOLDER] [--json]
         a new process, in ms: import of the package; from the start of the process to the first firing, in memory and on a database whose tables
         exist; the command. --against: another build of the package, in turn with this one.`;

const HERE = fileURLToPath(new URL('../../', import.meta.url));
const DATABASE = 'quartz_bench_start';

/** Programs that print what they took, or the time at which their job ran. */
const importing = (module) => `const begun = performance.now();
  await import('${module}');
  console.log(performance.now() - begun);`;
const firing = (module, config) => `import { createScheduler } from '${module}';
  let first;
  const fired = new Promise((resolve) => {
    first = async () => resolve(Date.now());
  });
  const scheduler = await createScheduler(${JSON.stringify(config)}, { jobs: { first } });
  await scheduler.start();
  await scheduler.enqueue('first');
  console.log(await fired);
  await scheduler.shutdown({ waitForJobs: true });`;

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '15' },
      url: { type: 'string' },
      against: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const server = await databaseServer(values.url);
  const connection = await createConnection(server.url);
  try {
    await connection.query(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`);
    const builds = [HERE, ...(values.against === undefined ? [] : [values.against])];
    const seen = measured(Number(values.rounds), builds, `${server.url}/${DATABASE}`);
    if (values.json) console.log(JSON.stringify({ machine: machine(), server: server.version, seen }, null, 2));
    else print(seen, builds);
  } finally {
    await connection.query(`DROP DATABASE IF EXISTS ${DATABASE}`);
    await connection.end();
    await server.stop();
  }
}

/** Milliseconds of each round, by figure and build. */
function measured(rounds, builds, url) {
  const figures = figuresOn(url);
  ran(firingOn(builds[0], { database: url })); // creates the tables
  const seen = Object.fromEntries(Object.keys(figures).map((figure) => [figure, builds.map(() => [])]));
  const bar = progress(rounds, 'start');
  for (let round = 0; round < rounds; round++) {
    bar.now('');
    for (const [figure, measure] of Object.entries(figures))
      for (const [at, build] of builds.entries()) seen[figure][at].push(measure(build));
    bar.step();
  }
  bar.end();
  return seen;
}

const moduleOf = (build) => pathToFileURL(`${build}/dist/index.mjs`).href;
const firingOn = (build, config) => ['--input-type=module', '--eval', firing(moduleOf(build), config)];

function figuresOn(url) {
  const spent = (argumentsOf) => (build) => {
    const begun = performance.now();
    ran(argumentsOf(build));
    return performance.now() - begun;
  };
  const untilFired = (config) => (build) => {
    const begun = Date.now();
    return Number(ran(firingOn(build, config))) - begun;
  };
  return {
    'Node alone': spent(() => ['--eval', '0']),
    import: (build) => Number(ran(['--input-type=module', '--eval', importing(moduleOf(build))])),
    'first firing, in memory': untilFired({}),
    'first firing, on the database': untilFired({ database: url }),
    'quartz --version': spent((build) => [`${build}/dist/cli/main.js`, '--version']),
  };
}

function ran(argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`A process ended with ${status}: ${stderr}`);
  return stdout;
}

function print(seen, builds) {
  for (const [figure, [ours, other]] of Object.entries(seen)) {
    const shown = [ours, other].slice(0, builds.length).map((each) => formatSummary(summary(each), 0));
    const ratio = other === undefined ? '' : `  ratio ${(median(ours) / median(other)).toFixed(2)}`;
    console.log(`${figure.padEnd(32)}${shown.map((each) => each.padEnd(22)).join('')}${ratio}`);
  }
}
