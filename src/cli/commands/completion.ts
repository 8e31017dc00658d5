import { Argument, Command } from 'commander';
import { type CommandContext, example } from '../command';
import { placesOf } from './completion-places';
import { bashScript, fishScript, zshScript } from './completion-scripts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function completionCommand({ output }: CommandContext, program: () => Command): Command {
  return new Command('completion')
    .description('Prints a shell script that completes commands, options and their values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', example('completion bash > ~/.local/share/bash-completion/completions/quartz'))
    .action((shell: keyof typeof SCRIPTS) => output.line(SCRIPTS[shell](placesOf(program())).trimEnd()));
}
