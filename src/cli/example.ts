/** The last lines of a command's help: how it is used. */
export function example(usage: string): string {
  return `\nExample:\n  quartz-ts ${usage}`;
}
