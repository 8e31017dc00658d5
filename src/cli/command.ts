import type { Output } from './output';

/** What a command is given besides its arguments. */
export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. */
  readonly folder: string;
  /** Everything that is given on standard input. Absent: nothing is. */
  readonly readStandardInput?: () => Promise<string>;
  /** Absent: nobody sits before a terminal. */
  readonly person?: Person;
}

/** Somebody before a terminal. */
export interface Person {
  /** What is answered to a question; empty at the end of the input. */
  ask(question: string): Promise<string>;
  /** The same without showing what is typed. */
  askSecret(question: string): Promise<string>;
  /** Lets a file be edited with a program, which takes over the terminal. Resolves with the exit code. */
  edit(editor: string, file: string): Promise<number>;
}

/** The last lines of a command's help: how it is used. */
export function example(usage: string): string {
  return `\nExample:\n  quartz ${usage}`;
}
