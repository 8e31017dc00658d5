import type { Command, Option } from 'commander';

/** A position on a command line, and the words that can follow it. */
export interface CompletionPlace {
  /** Words before the position, such as `triggers list`. Empty: directly after the program name. */
  readonly path: string;
  readonly commands: readonly { readonly word: string; readonly text: string }[];
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly word: string;
  readonly text: string;
  readonly value: 'none' | 'file' | 'any' | readonly string[];
}

export function placesOf(command: Command, path = ''): readonly CompletionPlace[] {
  const subcommands = command.commands.map((each) => ({ word: each.name(), text: each.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const inner = [...subcommands, ...choices.map((word) => ({ word, text: '' }))];
  const options = command.options.flatMap((option) => (option.long ? [optionOf(option, option.long)] : []));
  const help = { word: '--help', text: 'print help', value: 'none' } as const;
  const below = command.commands.flatMap((each) =>
    placesOf(each, path === '' ? each.name() : `${path} ${each.name()}`),
  );
  return [{ path, commands: inner, options: [...options, help] }, ...below];
}

function optionOf({ argChoices, required, flags, description }: Option, word: string): CompletionOption {
  const open = flags.includes('<file>') ? 'file' : 'any';
  return { word, text: description, value: required ? (argChoices ?? open) : 'none' };
}
