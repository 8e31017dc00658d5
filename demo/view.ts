/** Output of the demo. `terminal` is null if standard output is not a terminal. */
export interface DemoOutput {
  readonly terminal: { readonly columns?: number; write(text: string): unknown } | null;
  line(text: string): void;
  style(style: Style, text: string): string;
}

type Style = 'red' | 'green' | 'yellow';

/** Width of a terminal that does not report it. */
const USUAL_COLUMNS = 80;

/** Shows events, and below them a table. The table is redrawn in place on a terminal, otherwise printed once at the end. */
export class DemoView {
  readonly #output: DemoOutput;
  readonly #startedAt = Date.now();
  #block: readonly string[] = [];

  constructor(output: DemoOutput) {
    this.#output = output;
  }

  /** Prints an event. On a terminal it scrolls past above the table. */
  print(text: string, style?: Style): void {
    const styled = style === undefined ? text : this.#output.style(style, text);
    const line = `${formatSeconds(Date.now() - this.#startedAt).padStart(4)} s  ${styled}`;
    if (this.#output.terminal === null) this.#output.line(line);
    else this.#write([line], this.#block);
  }

  /** Redraws the table. The last one stays in place. */
  show(rows: readonly (readonly string[])[], isLast = false): void {
    const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
    const table = rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widthOf(column) + 2))
        .join('')
        .trimEnd(),
    );
    const lines = ['', ...table, ''];
    if (this.#output.terminal !== null) this.#write([], lines);
    else if (isLast) for (const line of lines) this.#output.line(line);
    if (isLast) this.#block = [];
  }

  /** Replaces the block at the end of the terminal. Shortens lines that would wrap, because the next block would then begin one line too low. */
  #write(above: readonly string[], block: readonly string[]): void {
    const columns = (this.#output.terminal?.columns || USUAL_COLUMNS) - 1;
    const fitting = block.map((line) => line.slice(0, Math.max(0, columns)));
    const erase = this.#block.length === 0 ? '' : `\u001b[${this.#block.length}A\u001b[0J`;
    this.#output.terminal?.write(erase + [...above, ...fitting].map((line) => `${line}\n`).join(''));
    this.#block = fitting;
  }
}

export function formatSeconds(milliseconds: number): string {
  return (Math.max(0, milliseconds) / 1_000).toFixed(1);
}
