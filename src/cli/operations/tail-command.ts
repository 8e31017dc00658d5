import { Command } from 'commander';
import { jobKey } from '../../domain/keys';
import { type CommandContext, example } from '../command';
import { keepPolling, type LookingOptions, withLookingOptions } from './polling';
import { RunTailing } from './run-tailing';
import { tailPrinter } from './tail-printer';

/** `tail`: prints the starts, log lines, progress and outcomes of runs as they happen. */
export function tailCommand(context: CommandContext): Command {
  return withLookingOptions(new Command('tail'))
    .description('Prints the starts, log lines, progress and outcomes of runs as they happen, until Ctrl-C.')
    .argument('[job]', 'only runs of this job: group/name, or a name in the group DEFAULT')
    .addHelpText('after', example('tail reports/daily --config quartz.yaml'))
    .action((job: string | undefined, options: LookingOptions) =>
      keepPolling(options, context, (looked) => {
        const tailing = new RunTailing(looked, {
          job: job === undefined ? null : jobKey(job),
          tell: tailPrinter(context.output, options),
        });
        return Object.assign(() => tailing.look(), { looksOnChange: true } as const);
      }),
    );
}
