import { Command } from 'commander';
import { type CommandContext, example } from '../command';
import { keepLooking, type LookingOptions, withLookingOptions } from './looking';
import { RunTailing } from './run-tailing';
import { tailPrinter } from './tail-printer';

/** `tail`: what starts, what it logs, how far it is and how it ends, as it happens. */
export function tailCommand(context: CommandContext): Command {
  return withLookingOptions(new Command('tail'))
    .description('Prints what starts, what it logs, how far it is and how it ends, as it happens, until Ctrl-C.')
    .argument('[job]', 'only of this job: GROUP/NAME, or a name in any group')
    .addHelpText('after', example('tail reports/daily --config quartz.yaml'))
    .action((job: string | undefined, options: LookingOptions) =>
      keepLooking(options, context, (looked) => {
        const tailing = new RunTailing(looked, { job: jobOf(job), tell: tailPrinter(context.output, options) });
        return Object.assign(() => tailing.look(), { looksOnChange: true } as const);
      }),
    );
}

function jobOf(text: string | undefined): { readonly name: string; readonly group: string | null } | null {
  if (text === undefined) return null;
  const slash = text.indexOf('/');
  return slash <= 0 ? { name: text, group: null } : { group: text.slice(0, slash), name: text.slice(slash + 1) };
}
