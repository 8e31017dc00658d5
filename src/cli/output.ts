import { stripVTControlCharacters, styleText } from 'node:util';
import { maxOf } from '../base/lists';

type Style = Parameters<typeof styleText>[0];

/** Where a command writes, and how. Tests give their own. */
export interface OutputStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Whether people read stdout and stderr in colour. */
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  /** Standard output, where it is a terminal on which lines can be drawn over. */
  readonly terminal?: Terminal;
}

/** A terminal, as far as it is needed here. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** What commands print with: results to stdout, everything else to stderr. Colour only where a terminal shows it. */
export class Output {
  readonly #streams: OutputStreams;

  constructor(streams: OutputStreams) {
    this.#streams = streams;
  }

  /** For what moves; null: nobody watches, or not on a terminal. */
  get terminal(): Terminal | null {
    return this.#streams.terminal ?? null;
  }

  /** The same without results. */
  muted(): Output {
    const { stderr, colors } = this.#streams;
    return new Output({ stdout: { write: () => true }, stderr, colors });
  }

  /** A line of the result. */
  line(text = ''): void {
    this.#streams.stdout.write(`${text}\n`);
  }

  /** A line about the result: warnings, errors, hints. */
  note(text: string): void {
    this.#streams.stderr.write(`${text}\n`);
  }

  /** One JSON value on a line of its own. Errors inside keep their code and message; keys in `without` are left out. */
  json(value: unknown, without: readonly string[] = []): void {
    const text = JSON.stringify(value, (key, inner) => (without.includes(key) ? undefined : withErrors(inner)));
    this.line(text.replace(CONTROL, escaped));
  }

  /** The same for a value about the result. */
  jsonNote(value: unknown): void {
    this.note(JSON.stringify(value).replace(CONTROL, escaped));
  }

  /** Styles a part of a line. */
  style(style: Style, text: string): string {
    return this.#streams.colors.stdout ? styleText(style, text, { validateStream: false }) : text;
  }

  /** The same for a line given to `note`. */
  noteStyle(style: Style, text: string): string {
    return this.#streams.colors.stderr ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Columns under a heading; those named in `right` are aligned to the right. */
  table(headings: readonly string[], rows: readonly (readonly string[])[], right: readonly string[] = []): void {
    for (const [index, line] of renderTable(headings, rows, right).entries()) {
      this.line(index === 0 ? this.style('bold', line) : line);
    }
  }
}

/** The lines of a table: two blanks between columns, none at the end of a line. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): readonly string[] {
  const widths = headings.map((heading, column) =>
    maxOf(
      rows.map((row) => widthOf(row[column] ?? '')),
      widthOf(heading),
    ),
  );
  const render = (cells: readonly string[]) =>
    headings
      .map((heading, column) => {
        const cell = cells[column] ?? '';
        const width = widths[column] as number;
        return right.includes(heading) ? padStart(cell, width) : padEnd(cell, width);
      })
      .join('  ')
      .trimEnd();
  return [headings, ...rows].map(render);
}

/** A text and as many blanks as fill `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Columns a text takes on a terminal: East Asian wide characters and emoji take two, marks that combine none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/\p{Mark}|\p{Cf}/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** The streams of this process. NO_COLOR wins over FORCE_COLOR, both over what the terminal is. */
export function processStreams(env: Readonly<Record<string, string | undefined>>): OutputStreams {
  const { stdout, stderr } = process;
  const wanted = (isTerminal: boolean | undefined) => {
    if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
    if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0';
    return isTerminal === true && env.TERM !== 'dumb';
  };
  const colors = { stdout: wanted(stdout.isTTY), stderr: wanted(stderr.isTTY) };
  const canMove = stdout.isTTY === true && env.TERM !== 'dumb';
  return { stdout, stderr, colors, ...(canMove ? { terminal: stdout } : {}) };
}

/** Those that JSON leaves as they are: terminals act on some of them, or turn the direction of what follows. */
const CONTROL = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function withErrors(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { code } = value as { readonly code?: unknown };
  return { name: value.name, ...(code === undefined ? {} : { code }), message: value.message };
}
