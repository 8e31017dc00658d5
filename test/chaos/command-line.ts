import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { findingsOf, type RunReport } from './play';
import { toJson } from './report/json';
import { toMarkdown } from './report/markdown';
import { showProgress } from './report/progress';
import { SCENARIOS } from './scenarios';
import { type PlannedRun, planRuns, playAll, type Suite } from './suite';
import type { StoreKind } from './world/database';

/** Maximum exit code for findings; higher codes mean other errors. */
const MAX_FINDINGS = 100;
const WRONG_USE = 125;

const STORES: readonly StoreKind[] = ['sqlite', 'mysql', 'mariadb'];

interface Options {
  readonly store: StoreKind | 'all';
  readonly seconds: number;
  readonly nodes: number;
  readonly seeds: readonly number[];
  readonly parallel: number;
  readonly hours?: number;
  readonly share: number;
  readonly out: string;
  readonly defaults: boolean;
  readonly json: boolean;
}

/** Resolves with the number of runs with findings, at most 100. */
export async function main(args: readonly string[]): Promise<number> {
  const { suite, options } = readArguments(args);
  const planned = planRuns(suite);
  if (suite.hours === null && planned.length === 0)
    throw new Error('Nothing to run: these scenarios do not support this store.');
  for (const { scenario, reason } of leftOut(suite)) process.stderr.write(`skipped: ${scenario} (${reason})\n`);
  const stop = await startServers();
  const progress = showProgress(planned.length);
  const reports: RunReport[] = [];
  try {
    await playAll(suite, {
      begun: (run) => progress.begun(run),
      ended: (run, report) => {
        reports.push(report);
        progress.ended(run, report);
        writeReports(options.out, suite, reports);
      },
    });
  } finally {
    progress.end();
    await stop();
  }
  process.stdout.write(options.json ? `${toJson(reports)}\n` : toMarkdown(reports, leftOut(suite)));
  process.stderr.write(`${join(options.out, 'report.md')}\n`);
  return Math.min(MAX_FINDINGS, reports.filter((report) => findingsOf(report).length > 0).length);
}

const leftOut = ({ scenarios }: Suite) =>
  scenarios.flatMap(({ name, missing }) => {
    const reason = missing?.() ?? null;
    return reason === null ? [] : [{ scenario: name, reason }];
  });

function writeReports(out: string, suite: Suite, reports: readonly RunReport[]): void {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'report.md'), toMarkdown(reports, leftOut(suite)));
  writeFileSync(join(out, 'report.json'), `${toJson(reports)}\n`);
}

/** Starts the databases of the tests; see test/support/database. */
async function startServers(): Promise<() => Promise<void>> {
  const setUp = require('../support/database/global-setup.js') as () => Promise<void>;
  const tearDown = require('../support/database/global-teardown.js') as () => Promise<void>;
  await setUp();
  return tearDown;
}

function readArguments(args: readonly string[]): { readonly suite: Suite; readonly options: Options } {
  const program = new Command('npm run chaos --')
    .description('Runs clusters of the built package under faults, and checks the results.')
    .argument('[scenario...]', 'scenarios to run; default: all of them')
    .option('--store <kind>', 'mysql, mariadb, sqlite or all', oneOf([...STORES, 'all']), 'all')
    .option('--seconds <n>', 'time for which triggers fire in a run', positive, 60)
    .option('--nodes <n>', 'number of processes in the cluster', positive, 4)
    .option('--seeds <list>', 'seeds of the random choices, one run for each', seeds, [1])
    .option('--parallel <n>', 'number of runs at the same time', positive, 1)
    .option('--hours <h>', 'repeat the runs with other seeds for this time', positive)
    .option('--share <s>', 'share of the usual load', positive, 1)
    .option('--out <folder>', 'folder for the reports and the files of the runs', join(tmpdir(), 'quartz-chaos'))
    .option('--defaults', 'use the default check-in and grace of 7.5 s each, instead of 1 s and 2 s', false)
    .option('--json', 'print the report as JSON', false)
    .addHelpText(
      'after',
      `\nScenarios:\n${SCENARIOS.map(({ name, about }) => `  ${name.padEnd(22)}${about}`).join('\n')}`,
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : WRONG_USE))
    .parse([...args], { from: 'user' });
  const options = program.opts<Options>();
  const scenarios = program.args.length === 0 ? SCENARIOS : program.args.map(scenarioNamed);
  const { store, seconds, nodes, seeds: list, parallel, hours = null, share, defaults } = options;
  const out = resolve(options.out);
  const stores = store === 'all' ? STORES : [store];
  return {
    suite: { scenarios, stores, seeds: list, parallel, hours, run: { seconds, nodes, share, defaults }, out },
    options: { ...options, out },
  };
}

function scenarioNamed(name: string) {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) {
    process.stderr.write(
      `Unknown scenario ${name}. Expected one of ${SCENARIOS.map((each) => each.name).join(', ')}.\n`,
    );
    process.exit(WRONG_USE);
  }
  return found;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

function seeds(text: string): readonly number[] {
  const list = text.split(',').map(Number);
  if (!list.every(Number.isInteger)) throw new InvalidArgumentError('Expected whole numbers, such as 1,2,3.');
  return list;
}

const oneOf = (choices: readonly string[]) => (text: string) => {
  if (!choices.includes(text)) throw new InvalidArgumentError(`Expected one of ${choices.join(', ')}.`);
  return text;
};

export type { PlannedRun };
