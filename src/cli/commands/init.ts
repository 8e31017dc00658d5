import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { toError } from '../../base/errors';
import { type CommandContext, example } from '../command';
import { CommandFailure } from '../exit-codes';
import { INIT_FILES } from './init-files';

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
  if (found !== undefined) throw exists(found);
  try {
    await mkdir(folder, { recursive: true });
    // `wx` fails if the file exists, so that a file created since the check is not overwritten.
    for (const [name, text] of Object.entries(INIT_FILES)) await writeFile(join(folder, name), text, { flag: 'wx' });
  } catch (error) {
    throw new CommandFailure('USAGE', `The files cannot be written: ${toError(error).message}.`, { cause: error });
  }
  return files;
}

function exists(file: string): CommandFailure {
  return new CommandFailure('CONFLICT', `${file} already exists. Nothing was written; choose another folder.`);
}
