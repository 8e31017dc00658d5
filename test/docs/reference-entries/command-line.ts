import { runProgram } from '../../../src/cli/program';
import { memoryOutput } from '../../support/memory-output';
import { codeIn, pageOf, tablesOf } from './read-reference';

/** Environment variables are the only words in capitals with a line below. */
const VARIABLE = /^[A-Z]+(_[A-Z]+)+$/;

/** Commands of the table whose effect the tests of their operations prove, such as `test/console/doctor` and `test/cli/doctor`. */
const OF_OPERATIONS = new Set(['Commands', 'doctor']);

/** Every command, option, environment variable and exit code that docs/reference/command-line.md names. */
export function commandLineEntries(): readonly string[] {
  const page = pageOf('command-line');
  const commands = [...page.matchAll(/^## `([a-z]+(?: [a-z]+)?)/gm)]
    .map(([, command = '']) => command)
    .filter((command) => !OF_OPERATIONS.has(command));
  const options = tablesOf(page)
    .filter(({ heading }) => heading !== 'Exit codes' && !OF_OPERATIONS.has(heading))
    .flatMap(({ heading, rows }) => {
      const command = commands.findLast((each) => heading === each || heading.startsWith(`${each} `)) ?? heading;
      return rows.flatMap(([cell = '']) => codeIn(cell).map((option) => `${command} ${option.split(' ')[0]}`));
    });
  const codes = tablesOf(page)
    .filter(({ heading }) => heading === 'Exit codes')
    .flatMap(({ rows }) => rows.map(([code]) => `exit code ${code}`));
  const variables = new Set(codeIn(page.replace(/^```[\s\S]*?^```/gm, '')).filter((word) => VARIABLE.test(word)));
  return [...commands, ...options, ...variables, ...codes];
}

/** The options that the help of a command names. */
export async function optionsOf(name: string): Promise<readonly string[]> {
  const { output, stdout } = memoryOutput();
  await runProgram([...name.split(' '), '--help'], { output, env: {}, folder: '/' });
  const options = [...stdout().matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
  return options.filter((option) => option !== '--help');
}
