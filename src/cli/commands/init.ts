import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { toError } from '../../base/errors';
import { type CommandContext, example } from '../command';
import { CommandFailure } from '../exit-codes';

export function initCommand(context: CommandContext): Command {
  return new Command('init')
    .description('Writes a configuration, a schedule file and a jobs module to start with. Overwrites nothing.')
    .argument('[folder]', 'folder for the files, created if it is missing', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', example('init my-jobs'))
    .action(async (folder: string, { json }: { readonly json?: boolean }) => {
      const { output } = context;
      const files = await writeFiles(resolve(context.folder, folder));
      if (json) return output.json({ files });
      for (const file of files) output.line(`${output.style('green', 'written')}  ${file}`);
      const enter = folder === '.' ? '' : `cd ${folder} && `;
      output.line(`\nNow: ${enter}quartz run --config quartz.yaml --jobs ./jobs.mjs`);
      output.line('and in another terminal: quartz tail, quartz jobs, quartz fire reports/report');
    });
}

async function writeFiles(folder: string): Promise<readonly string[]> {
  const files = Object.keys(INIT_FILES).map((name) => join(folder, name));
  const found = files.find((file) => existsSync(file));
  if (found !== undefined)
    throw new CommandFailure('CONFLICT', `${found} already exists. Nothing was written; choose another folder.`);
  try {
    await mkdir(folder, { recursive: true });
    // `wx` fails if the file exists, so that a file created since the check is not overwritten.
    for (const [name, text] of Object.entries(INIT_FILES)) await writeFile(join(folder, name), text, { flag: 'wx' });
  } catch (error) {
    throw new CommandFailure('USAGE', `The files cannot be written: ${toError(error).message}.`, { cause: error });
  }
  return files;
}

/** Files that `init` writes, by name: a runnable schedule, its jobs, and a configuration that other commands find by default. */
const INIT_FILES: Readonly<Record<string, string>> = {
  'quartz.yaml': `# yaml-language-server: $schema=./node_modules/quartz-ts/schemas/configuration.schema.json
# Everything is stored in one SQLite file. Start it twice, and the two processes share the work.

scheduler:
  instanceName: QuartzScheduler
  instanceId: AUTO # nodes need different ids

threadPool:
  threadCount: 10 # jobs that run at the same time

jobStore:
  class: sqlite # mysql and mariadb for nodes on several machines
  path: ./quartz.db # relative to the working directory
  history: all # failures: record only runs that did not succeed

plugin:
  schedule:
    class: scheduleFile
    fileNames: schedule.yaml # in the folder of this file
    scanInterval: 5 # interval of the checks for changes, in seconds
  shutdown:
    class: shutdownHook # on SIGTERM and SIGINT, waits for running jobs
`,
  'schedule.yaml': `# yaml-language-server: $schema=./node_modules/quartz-ts/schemas/schedule-file.schema.json
# What runs when. Change it while the scheduler runs.

jobs:
  - name: hello
    description: Every five seconds
    data: { name: world }
    triggers:
      - cron: '0/5 * * * * ?'

  - name: report
    group: reports
    description: On working days at six; quartz fire reports/report runs it now
    retry: R3/PT1M # after a failure: three retries, a minute apart
    triggers:
      - cron: '0 0 6 ? * MON-FRI'
        timeZone: UTC
`,
  'jobs.mjs': `// The jobs, by their names in schedule.yaml.

export async function hello({ data, log }) {
  log.info(\`hello \${data.name}\`);
}

export async function report({ log, progress, signal }) {
  for (let step = 1; step <= 10; step++) {
    signal.throwIfAborted(); // the run was interrupted, or the process is ending
    progress(step / 10, \`step \${step}\`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  log.info('written');
}
`,
};
