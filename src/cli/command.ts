import type { Output } from './output';

/** What a command is given besides its arguments. */
export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. */
  readonly folder: string;
}

/** The last lines of a command's help: how it is used. */
export function example(usage: string): string {
  return `\nExample:\n  quartz-ts ${usage}`;
}
