import { Command } from 'commander';
import type { CommandContext } from '../command-context';
import {
  type CronOptions,
  FROM_OPTION,
  type FromOption,
  readCron,
  readFrom,
  wholeNumberOption,
  withCronOptions,
} from '../cron-options';
import { example } from '../example';
import { fireTimesAfter, inZone } from '../fire-times';
import { formatDuration } from '../parse-duration';

interface NextOptions extends CronOptions, FromOption {
  readonly count: number;
}

/** `cron next`: the coming fire times of an expression. */
export function cronNextCommand({ output }: CommandContext): Command {
  return withCronOptions(new Command('next'))
    .description('Prints the next fire times.')
    .option('--count <n>', 'how many, at most 1000', wholeNumberOption(1, 1_000), 5)
    .option(...FROM_OPTION)
    .addHelpText('after', example("cron next '0 0 6 ? * MON-FRI' --tz Europe/Berlin --count 3"))
    .action(async (expression: string, options: NextOptions) => {
      const cron = await readCron(expression, options);
      const from = readFrom(options, cron.timeZone);
      const fireTimes = fireTimesAfter(cron, from, options.count);
      if (options.json) {
        const { cronExpression, timeZone } = cron;
        return output.json({
          cronExpression,
          timeZone,
          fireTimes: fireTimes.map((time) => inZone(time, timeZone).toISO()),
        });
      }
      if (fireTimes.length === 0) return output.note('It never fires after that.');
      const rows = fireTimes.map((time) => [...inWords(time, cron.timeZone), `in ${formatDuration(time - from)}`]);
      output.table(['day', 'date', 'time', 'zone', options.from === undefined ? 'from now' : 'from then'], rows);
      if (fireTimes.length < options.count) output.note('It never fires again.');
    });
}

function inWords(time: number, timeZone: string): readonly string[] {
  const at = inZone(time, timeZone);
  return [at.toFormat('ccc'), at.toFormat('yyyy-MM-dd'), at.toFormat('HH:mm:ss'), `${timeZone} (${at.toFormat('ZZ')})`];
}
