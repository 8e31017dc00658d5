import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compared, contest } from '../lib/contest.mjs';
import { databaseOptions } from '../lib/options.mjs';
import { print } from '../lib/report.mjs';

export const usage = `  start [--rounds 15] [--against FOLDER]
         a new process, in ms: import of the package; from the start of the process to the first firing, in memory and on a database whose tables
         exist; the command. --against: another build of the package, in turn with this one.`;

const HERE = fileURLToPath(new URL('../../', import.meta.url));

const FIGURES = [
  ['node', 'Node alone, ms', 0],
  ['import', 'import, ms', 0],
  ['inMemory', 'first firing in memory, ms', 0],
  ['onDatabase', 'first firing on the database, ms', 0],
  ['command', 'quartz --version, ms', 0],
];

/** Programs that print the duration of the import, or the time at which their job ran. */
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
  const chosen = databaseOptions(args, { store: ['mysql'], rounds: 15, against: String });
  const report = await contest(chosen, async ({ server, sides }) =>
    compared({
      workload: 'start',
      title: 'Start of a process',
      server,
      rounds: chosen.rounds,
      sides: await sides(),
      measure: startRound,
      figures: FIGURES,
      main: 'onDatabase',
      lessIsBetter: true,
    }),
  );
  print([report], chosen);
}

async function startRound({ build = HERE, tables }) {
  const module = pathToFileURL(`${build}/dist/index.mjs`).href;
  const untilFired = (config) => {
    const begun = Date.now();
    return Number(ran(['--input-type=module', '--eval', firing(module, config)])) - begun;
  };
  return {
    node: durationOf(['--eval', '0']),
    import: Number(ran(['--input-type=module', '--eval', importing(module)])),
    inMemory: untilFired({}),
    onDatabase: untilFired({ database: tables.url }),
    command: durationOf([`${build}/dist/cli/main.js`, '--version']),
  };
}

function durationOf(argv) {
  const begun = performance.now();
  ran(argv);
  return performance.now() - begun;
}

function ran(argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`A process ended with ${status}: ${stderr}`);
  return stdout;
}
