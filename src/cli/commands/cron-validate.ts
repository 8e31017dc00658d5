import { Command } from 'commander';
import { CronSyntaxError } from '../../domain/cron/cron-syntax-error';
import type { CommandContext } from '../command-context';
import { type CronOptions, readCron, withCronOptions } from '../cron-options';
import { example } from '../example';
import { CommandFailure } from '../exit-codes';

/** `cron validate`: whether an expression follows its dialect, and where it does not. */
export function cronValidateCommand({ output }: CommandContext): Command {
  return withCronOptions(new Command('validate'))
    .description('Says whether an expression is valid, and what is wrong with it.')
    .addHelpText('after', example("cron validate '*/15 8-17 * * 1-5' --dialect unix"))
    .action(async (expression: string, options: CronOptions) => {
      const cron = await readCron(expression, options).catch((error: unknown) => {
        if (options.json || !(error instanceof CronSyntaxError)) throw error;
        throw new CommandFailure('EXPRESSION', `${error.message}${pointer(error)}`, { cause: error });
      });
      const { cronExpression, timeZone } = cron;
      if (options.json) output.json({ valid: true, cronExpression, timeZone });
      else output.line(`${output.style('green', 'valid:')} ${cronExpression}`);
    });
}

/** The expression once more, with a mark under the fault. */
function pointer({ expression, position }: CronSyntaxError): string {
  if (expression.length > 120 || /[^\x20-\x7e]/.test(expression)) return '';
  return `\n  ${expression}\n  ${' '.repeat(position)}^`;
}
