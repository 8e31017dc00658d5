import { Command } from 'commander';
import type { CommandContext } from '../command-context';
import { type CronOptions, FROM_OPTION, type FromOption, readCron, readFrom, withCronOptions } from '../cron-options';
import { example } from '../example';
import { fireTimesAfter, inZone } from '../fire-times';

/** `cron explain`: what an expression means, in words, field by field, and with its next times. */
export function cronExplainCommand({ output }: CommandContext): Command {
  return withCronOptions(new Command('explain'))
    .description('Says in words when an expression fires.')
    .option(...FROM_OPTION)
    .addHelpText('after', example("cron explain '0 0/5 14,18 L-2 * ?'"))
    .action(async (expression: string, options: CronOptions & FromOption) => {
      const cron = await readCron(expression, options);
      const { describeCron } = await import('../../domain/cron/describe-cron');
      const { cronExpression, timeZone } = cron;
      const description = describeCron(cronExpression, { lenient: options.lenient ?? false });
      const fireTimes = fireTimesAfter(cron, readFrom(options, timeZone), 3).map((time) => inZone(time, timeZone));
      if (options.json) {
        return output.json({ cronExpression, timeZone, description, fireTimes: fireTimes.map((time) => time.toISO()) });
      }
      output.line(output.style('bold', description));
      output.line();
      output.table(['field', 'value'], fieldRows(cronExpression));
      output.line();
      const next = fireTimes.map((time) => time.toFormat('ccc yyyy-MM-dd HH:mm:ss ZZ')).join(', ');
      output.line(`next in ${timeZone}: ${next === '' ? 'never' : next}`);
    });
}

const FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week', 'year'] as const;

function fieldRows(cronExpression: string): readonly (readonly string[])[] {
  return cronExpression.split(' ').map((value, index) => [FIELDS[index] ?? '', value]);
}
