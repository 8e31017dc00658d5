import { Command } from 'commander';
import { jobKey } from '../../domain/keys';
import { type CommandContext, example } from '../command';
import { keepPolling, type PollOptions, withPollOptions } from './polling';
import { RunTailing } from './run-tailing';
import { tailPrinter } from './tail-printer';

export function tailCommand(context: CommandContext): Command {
  return withPollOptions(new Command('tail'))
    .description('Prints the starts, log lines, progress and outcomes of runs as they happen, until Ctrl-C.')
    .argument('[job]', 'only runs of this job: group/name, or a name in the group DEFAULT')
    .addHelpText('after', example('tail reports/daily --config quartz.yaml'))
    .action((job: string | undefined, options: PollOptions) =>
      keepPolling(options, context, (polled) => {
        const tailing = new RunTailing(polled, {
          job: job === undefined ? null : jobKey(job),
          report: tailPrinter(context.output, options),
        });
        return Object.assign(() => tailing.poll(), { pollsOnChange: true } as const);
      }),
    );
}
