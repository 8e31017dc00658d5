import { stripVTControlCharacters } from 'node:util';
import { type Terminal, widthOf } from './output';

const UP_AND_CLEAR = (lines: number) => `\u001b[${lines}A\u001b[0J`;

const USUAL_WIDTH = 80;

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

  #erase(): string {
    return this.#drawn.length === 0 ? '' : UP_AND_CLEAR(this.#drawn.length);
  }

  /** A line that wraps would take two, and the next drawing would begin one too low. */
  #fit(line: string): string {
    const room = (this.#terminal.columns || USUAL_WIDTH) - 1; // 0: a terminal that does not know its width
    if (widthOf(line) <= room) return line;
    return stripVTControlCharacters(line).slice(0, Math.max(0, room));
  }
}
