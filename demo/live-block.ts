import { stripVTControlCharacters } from 'node:util';

/** A terminal, as far as the demo uses it. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** Of a terminal that does not know its width. */
export const USUAL_COLUMNS = 80;

/** A block of lines at the end of a terminal that is drawn over and over, with ordinary lines running past above it. */
export class LiveBlock {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Shows these lines instead of the block so far. */
  draw(lines: readonly string[]): void {
    const fitting = lines.map((line) => this.#fit(line));
    this.#terminal.write(`${this.#erase()}${fitting.map((line) => `${line}\n`).join('')}`);
    this.#drawn = fitting;
  }

  /** An ordinary line, above the block. */
  print(line: string): void {
    const block = this.#drawn.map((each) => `${each}\n`).join('');
    this.#terminal.write(`${this.#erase()}${line}\n${block}`);
  }

  /** Leaves the block where it is; the next one begins below. */
  release(): void {
    this.#drawn = [];
  }

  /** Moves the cursor up to the block's first line and clears from there. */
  #erase(): string {
    return this.#drawn.length === 0 ? '' : `\u001b[${this.#drawn.length}A\u001b[0J`;
  }

  /** A line that wraps would take two, and the next drawing would begin one too low. */
  #fit(line: string): string {
    const columns = (this.#terminal.columns || USUAL_COLUMNS) - 1;
    const plain = stripVTControlCharacters(line);
    return plain.length <= columns ? line : plain.slice(0, Math.max(0, columns));
  }
}
