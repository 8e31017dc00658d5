import type { Output } from './output';

/** Environment of a command, apart from its arguments. */
export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder against which relative paths are resolved. */
  readonly folder: string;
  /** Reads all of standard input. Absent: there is none. */
  readonly readStandardInput?: () => Promise<string>;
  /** User at a terminal. Absent: the command is not interactive. */
  readonly person?: Person;
}

/** A user at a terminal. */
export interface Person {
  /** Asks a question and returns the answer, or an empty text at the end of the input. */
  ask(question: string): Promise<string>;
  /** Asks a question without showing the typed answer. */
  askSecret(question: string): Promise<string>;
  /** Opens a file in an editor, which takes over the terminal. Resolves to the exit code. */
  edit(editor: string, file: string): Promise<number>;
}

/** Returns the example at the end of a command's help. */
export function example(usage: string): string {
  return `\nExample:\n  quartz ${usage}`;
}
