import { stripVTControlCharacters } from 'node:util';

/** The part of a terminal that the demo uses. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** Width of a terminal that does not report it. */
export const USUAL_COLUMNS = 80;

/** A block of lines at the end of a terminal, which is redrawn in place. Other lines scroll past above it. */
export class LiveBlock {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Replaces the lines of the block. */
  draw(lines: readonly string[]): void {
    const fitting = lines.map((line) => this.#fit(line));
    this.#terminal.write(`${this.#erase()}${fitting.map((line) => `${line}\n`).join('')}`);
    this.#drawn = fitting;
  }

  /** Prints a line above the block. */
  print(line: string): void {
    const block = this.#drawn.map((each) => `${each}\n`).join('');
    this.#terminal.write(`${this.#erase()}${line}\n${block}`);
  }

  /** Leaves the block in place. The next block begins below it. */
  release(): void {
    this.#drawn = [];
  }

  /** Moves the cursor up to the block's first line and clears from there. */
  #erase(): string {
    return this.#drawn.length === 0 ? '' : `\u001b[${this.#drawn.length}A\u001b[0J`;
  }

  /** Shortens a line that would wrap, because the next drawing would then begin one line too low. */
  #fit(line: string): string {
    const columns = (this.#terminal.columns || USUAL_COLUMNS) - 1;
    const plain = stripVTControlCharacters(line);
    return plain.length <= columns ? line : plain.slice(0, Math.max(0, columns));
  }
}
