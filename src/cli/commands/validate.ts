import { Command } from 'commander';
import { formatProblem } from '../../config/problem';
import type { CommandContext } from '../command-context';
import { example } from '../example';
import { EXIT_CODES } from '../exit-codes';
import { type Output, visible } from '../output';
import { type FileVerdict, validateFile } from '../validate-file';

/** `validate`: checks configuration and schedule files without running anything. */
export function validateCommand({ output, env }: CommandContext, setExitCode: (code: number) => void): Command {
  return new Command('validate')
    .description('Checks configuration and schedule files, and the schedules a configuration names.')
    .argument('<files...>', 'YAML or .properties files')
    .option('--json', 'print JSON')
    .addHelpText('after', example('validate quartz.yaml'))
    .action(async (files: readonly string[], options: { readonly json?: boolean }) => {
      const verdicts = await validateAll(files, env);
      if (options.json) output.json({ valid: verdicts.every(isValid), files: verdicts.map(toJson) });
      else for (const verdict of verdicts) print(verdict, output);
      if (!verdicts.every(isValid)) setExitCode(EXIT_CODES.CONFIGURATION.code);
    });
}

/** The files given, then those they name; each once. */
async function validateAll(files: readonly string[], env: CommandContext['env']): Promise<readonly FileVerdict[]> {
  const verdicts = new Map<string, FileVerdict>();
  for (const file of new Set(files)) verdicts.set(file, await validateFile(file, { env, as: null }));
  for (const file of new Set([...verdicts.values()].flatMap(({ scheduleFiles }) => scheduleFiles)))
    verdicts.set(file, await validateFile(file, { env, as: 'schedule' }));
  return [...verdicts.values()];
}

function isValid({ problems }: FileVerdict): boolean {
  return problems.length === 0;
}

function print(verdict: FileVerdict, output: Output): void {
  const { file, kind, problems, warnings } = verdict;
  for (const warning of warnings) output.note(`${output.noteStyle('yellow', 'warning:')} ${file}: ${warning}`);
  if (isValid(verdict)) {
    output.line(`${output.style('green', 'valid:')} ${file} (${kind})`);
  } else {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    output.line(`${output.style('red', 'invalid:')} ${file} (${count})`);
    for (const problem of problems) output.line(`  ${visible(formatProblem(problem))}`);
  }
}

function toJson({ file, kind, problems, warnings }: FileVerdict) {
  return { file, kind, valid: problems.length === 0, problems, warnings };
}
