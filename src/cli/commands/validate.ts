import { Command } from 'commander';
import { printable } from '../../base/printable';
import { formatProblem } from '../../config/problem';
import { formatKey } from '../../domain/keys';
import type { UnreadableRow } from '../../domain/scheduler-event';
import type { CommandContext } from '../command-context';
import { example } from '../example';
import { EXIT_CODES } from '../exit-codes';
import type { Output } from '../output';
import { type FileVerdict, validateFile } from '../validate-file';

/** `validate`: checks configuration and schedule files without running anything. */
export function validateCommand({ output, env }: CommandContext, setExitCode: (code: number) => void): Command {
  return new Command('validate')
    .description('Checks configuration and schedule files, and the schedules a configuration names.')
    .argument('<files...>', 'YAML or .properties files')
    .option(
      '--stored',
      'read all that is stored in the databases of the configurations, too; needs no running scheduler',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', example('validate quartz.yaml'))
    .action(async (files: readonly string[], options: { readonly stored?: boolean; readonly json?: boolean }) => {
      const found = await validateAll(files, env);
      const verdicts = options.stored ? await withStored(found, output) : found;
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

/** A verdict, and what cannot be read here of the schedule that is stored where the file says. */
interface Verdict extends FileVerdict {
  readonly unreadable?: readonly UnreadableRow[];
}

async function withStored(verdicts: readonly FileVerdict[], output: Output): Promise<readonly Verdict[]> {
  const { examineStored } = await import('../../scheduler/stored-schedule');
  const withRows: Verdict[] = [];
  for (const verdict of verdicts) {
    const { stored, problems } = verdict;
    const isReached = stored !== undefined && problems.length === 0;
    const unreadable = isReached
      ? await examineStored(stored, (warning) => output.note(printable(warning)))
      : undefined;
    withRows.push(unreadable === undefined ? verdict : { ...verdict, unreadable });
  }
  return withRows;
}

function isValid({ problems, unreadable = [] }: Verdict): boolean {
  return problems.length + unreadable.length === 0;
}

function print(verdict: Verdict, output: Output): void {
  const { file, kind, problems, warnings, unreadable = [] } = verdict;
  for (const warning of warnings) output.note(`${output.noteStyle('yellow', 'warning:')} ${file}: ${warning}`);
  if (isValid(verdict)) {
    output.line(`${output.style('green', 'valid:')} ${file} (${kind})`);
  } else {
    const total = problems.length + unreadable.length;
    output.line(`${output.style('red', 'invalid:')} ${file} (${total === 1 ? '1 problem' : `${total} problems`})`);
    for (const problem of problems) output.line(`  ${printable(formatProblem(problem))}`);
    for (const { what, group, name, cause } of unreadable) {
      const key = group === null ? name : formatKey({ group, name });
      output.line(`  ${printable(`the stored ${what} ${key} cannot be read here: ${cause}`)}`);
    }
  }
}

function toJson(verdict: Verdict) {
  const { file, kind, problems, warnings, unreadable } = verdict;
  return { file, kind, valid: isValid(verdict), problems, warnings, ...(unreadable && { unreadable }) };
}
