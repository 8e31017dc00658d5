import { Command, Option } from 'commander';
import { type EpochMs, SystemClock } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import { nearestTimeZone } from '../../base/nearest-name';
import type { CronExpression } from '../../domain/cron/cron-expression';
import { CronSyntaxError } from '../../domain/cron/cron-syntax-error';
import { formatKey, parseKey } from '../../domain/keys';
import type { ClockChanges, Rules } from '../../domain/rules';
import { parseIsoTime } from '../../domain/time/iso-time';
import { isoText, localText } from '../../domain/time/local-text';
import { timeZoneOf } from '../../domain/time/time-zone';
import { type CommandContext, example } from '../command';
import { CommandFailure, usageError } from '../exit-codes';
import { formatDuration } from '../format-duration';
import { wholeNumberOption } from '../option-values';

interface CronOptions {
  readonly timeZone?: string;
  readonly dialect: 'quartz' | 'unix';
  readonly lenient?: boolean;
  readonly key?: string;
  readonly json?: boolean;
}

interface TimesOptions extends CronOptions {
  readonly rules: Rules;
  readonly clockChanges: ClockChanges;
  readonly from?: string;
}

const FROM_OPTION = ['--from <time>', 'show fire times after this ISO-8601 time (default: now)'] as const;

const clockChangesOption = () =>
  new Option('--clock-changes <rules>', 'fire times when the clocks change')
    .choices(['quartz', 'natural'])
    .default('quartz');

const rulesOption = () =>
  new Option('--rules <rules>', 'rules for fire times, as in scheduler.rules')
    .choices(['safe', 'quartz'])
    .default('safe');

export function cronCommand(context: CommandContext): Command {
  return new Command('cron')
    .description('Shows the fire times, the meaning and the errors of a cron expression (in quotes).')
    .addCommand(nextCommand(context))
    .addCommand(explainCommand(context))
    .addCommand(validateCommand(context));
}

function subcommand(name: string, usage: string): Command {
  return new Command(name)
    .argument('<expression>', "the expression, in quotes: '0 0 6 ? * MON-FRI'")
    .option('--time-zone <zone>', "IANA time zone (default: the machine's)")
    .addOption(
      new Option('--dialect <dialect>', 'dialect of the expression').choices(['quartz', 'unix']).default('quartz'),
    )
    .option('--lenient', 'accept everything that Java Quartz accepts, with the same meaning')
    .option('--key <key>', "trigger key from which H is computed: 'group/name', or a name in the group DEFAULT")
    .option('--json', 'print JSON')
    .addHelpText('after', example(usage));
}

function nextCommand({ output }: CommandContext): Command {
  return subcommand('next', "cron next '0 0 6 ? * MON-FRI' --time-zone Europe/Berlin --count 3")
    .description('Prints the next fire times.')
    .option('--count <n>', 'number of fire times, at most 1000', wholeNumberOption(1, 1_000), 5)
    .option(...FROM_OPTION)
    .addOption(clockChangesOption())
    .addOption(rulesOption())
    .action(async (expression: string, options: TimesOptions & { readonly count: number }) => {
      const cron = await readCron(expression, options);
      const { cronExpression, timeZone } = cron;
      const zone = timeZoneOf(timeZone);
      const from = readFrom(options, timeZone);
      const fireTimes = fireTimesAfter(cron, from, options.count);
      if (options.json) {
        return output.json({ cronExpression, timeZone, fireTimes: fireTimes.map((time) => isoText(time, zone)) });
      }
      if (fireTimes.length === 0) return output.note('The expression never fires after this time.');
      const rows = fireTimes.map((time) => [
        localText(time, zone, 'EEE'),
        localText(time, zone, 'yyyy-MM-dd'),
        localText(time, zone, 'HH:mm:ss'),
        `${timeZone} (${localText(time, zone, 'XXX')})`,
        `in ${formatDuration(time - from)}`,
      ]);
      output.table(['day', 'date', 'time', 'zone', options.from === undefined ? 'from now' : 'from then'], rows);
      if (fireTimes.length < options.count) output.note('The expression never fires again.');
    });
}

function explainCommand({ output }: CommandContext): Command {
  return subcommand('explain', "cron explain '0 0/5 14,18 L-2 * ?'")
    .description('Explains in words when an expression fires.')
    .option(...FROM_OPTION)
    .addOption(clockChangesOption())
    .addOption(rulesOption())
    .action(async (expression: string, options: TimesOptions) => {
      const cron = await readCron(expression, options);
      const { describeCron } = await import('../../domain/cron/describe-cron');
      const { cronExpression, timeZone } = cron;
      const zone = timeZoneOf(timeZone);
      const description = describeCron(cronExpression, { lenient: options.lenient ?? false });
      const fireTimes = fireTimesAfter(cron, readFrom(options, timeZone), 3);
      if (options.json) {
        return output.json({
          cronExpression,
          timeZone,
          description,
          fireTimes: fireTimes.map((time) => isoText(time, zone)),
        });
      }
      output.line(output.style('bold', description));
      output.line();
      const fields = cronExpression.split(' ').map((value, index) => [FIELDS[index] ?? '', value]);
      if (options.key === undefined) output.table(['field', 'value'], fields);
      else output.table(['field', 'value', 'computed for'], withComputedValues(fields, expression, options.key));
      output.line();
      const next = fireTimes.map((time) => localText(time, zone, 'EEE yyyy-MM-dd HH:mm:ss XXX')).join(', ');
      const changes = options.clockChanges === 'natural' ? ' with natural clock changes' : '';
      output.line(`next in ${timeZone}${changes}: ${next === '' ? 'never' : next}`);
    });
}

/** Adds a column to the table of cron fields: for fields with `H`, the original text and the trigger key that determines the value. */
function withComputedValues(
  fields: readonly (readonly string[])[],
  expression: string,
  key: string,
): readonly string[][] {
  const written = expression
    .toUpperCase()
    .split(/[ \t]+/)
    .filter((text) => text !== '');
  const secondsLeftOut = written.length === 5 ? 1 : 0; // a crontab expression has no seconds field
  return fields.map((row, index) => {
    const text = written[index - secondsLeftOut] ?? '';
    return [...row, /(?:^|,)H(?:$|[(/,])/.test(text) ? `${text} of ${formatKey(parseKey(key))}` : ''];
  });
}

const FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week', 'year'] as const;

function validateCommand({ output }: CommandContext): Command {
  return subcommand('validate', "cron validate '*/15 8-17 * * 1-5' --dialect unix")
    .description('Checks whether an expression is valid, and shows its errors.')
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

/** Returns the expression with a mark below the error. Empty if the expression is longer than 120 characters or not ASCII. */
function pointer({ expression, position }: CronSyntaxError): string {
  if (expression.length > 120 || /[^\x20-\x7e]/.test(expression)) return '';
  return `\n  ${expression}\n  ${' '.repeat(position)}^`;
}

/** Parses the expression. Rejects with CRON_SYNTAX, or with UNKNOWN_TIME_ZONE and the name of a similar time zone, if there is one. */
async function readCron(
  expression: string,
  {
    timeZone: zone,
    dialect,
    lenient = false,
    key,
    clockChanges = 'quartz',
    rules = 'safe',
  }: CronOptions & Partial<TimesOptions>,
): Promise<CronExpression> {
  const { CronExpression } = await import('../../domain/cron/cron-expression');
  const timeZone = zone === undefined ? {} : { timeZone: zone };
  try {
    return new CronExpression(expression, {
      dialect,
      clockChanges,
      rules,
      lenient,
      ...timeZone,
      ...(key === undefined ? {} : { key: parseKey(key) }),
    });
  } catch (error) {
    if (!(error instanceof SchedulerError) || error.code !== 'UNKNOWN_TIME_ZONE') throw error;
    const nearest = nearestTimeZone(zone ?? '');
    throw nearest === null ? error : new SchedulerError(error.code, `${error.message} Did you mean '${nearest}'?`);
  }
}

/** Returns the time of `--from`, by default now. A time without an offset is in `timeZone`. Throws CommandFailure for any other text. */
function readFrom({ from }: TimesOptions, timeZone: string): EpochMs {
  if (from === undefined) return new SystemClock().now();
  const time = parseIsoTime(from, timeZoneOf(timeZone));
  if (time !== null) return time;
  throw usageError(
    `Expected an ISO-8601 time such as 2027-01-31T08:00 or 2027-01-31T08:00Z as --from, found '${from}'.`,
  );
}

function fireTimesAfter(cron: CronExpression, from: EpochMs, count: number): readonly EpochMs[] {
  const times: EpochMs[] = [];
  let next = cron.nextTimeAfter(from);
  while (next !== null && times.length < count) {
    times.push(next);
    next = cron.nextTimeAfter(next);
  }
  return times;
}
