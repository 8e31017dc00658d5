import type { Output } from './output';

export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base folder for relative paths. */
  readonly folder: string;
  /** Reads all of standard input. Absent if there is no standard input. */
  readonly readStandardInput?: () => Promise<string>;
  /** User at a terminal. Absent if the command cannot ask questions. */
  readonly person?: Person;
}

export interface Person {
  /** Asks a question. Resolves to the answer, or to an empty string at the end of the input. */
  prompt(question: string): Promise<string>;
  /** Same as `prompt`, but does not show the typed answer. */
  promptSecret(question: string): Promise<string>;
  /** Opens a file in an editor on the terminal. Resolves to the editor's exit code. */
  edit(editor: string, file: string): Promise<number>;
}

export function example(usage: string): string {
  return `\nExample:\n  quartz ${usage}`;
}
