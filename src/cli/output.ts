import { stripVTControlCharacters, styleText } from 'node:util';
import { isError } from '../base/error-values';
import { maxOf } from '../base/lists';

type Style = Parameters<typeof styleText>[0];

interface OutputStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** True if text on the stream may be coloured. */
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  /** Standard output, if it is a terminal that can be redrawn. */
  readonly terminal?: Terminal;
}

interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** Writes results to standard output and everything else to standard error. Colours only streams that support it. */
export class Output {
  readonly #streams: OutputStreams;

  constructor(streams: OutputStreams) {
    this.#streams = streams;
  }

  get terminal(): Terminal | null {
    return this.#streams.terminal ?? null;
  }

  /** Returns an output that discards results but writes notes. */
  muted(): Output {
    const { stderr, colors } = this.#streams;
    return new Output({ stdout: { write: () => true }, stderr, colors });
  }

  line(text = ''): void {
    this.#streams.stdout.write(`${text}\n`);
  }

  /** Writes a warning, an error or a hint to standard error. */
  note(text: string): void {
    this.#streams.stderr.write(`${text}\n`);
  }

  /** Writes a JSON value on one line of standard output, without the keys in `without` at any depth. Errors have name, code and message. */
  json(value: unknown, without: readonly string[] = []): void {
    const text = JSON.stringify(value, (key, inner) => (without.includes(key) ? undefined : withErrors(inner)));
    this.line(text.replace(CONTROL, escaped));
  }

  jsonNote(value: unknown): void {
    this.note(JSON.stringify(value).replace(CONTROL, escaped));
  }

  /** Returns styled text for a line of the result, or the text unchanged if standard output does not support colours. */
  style(style: Style, text: string): string {
    return this.#streams.colors.stdout ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Returns styled text for a note, or the text unchanged if standard error does not support colours. */
  noteStyle(style: Style, text: string): string {
    return this.#streams.colors.stderr ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Writes a table to standard output. Columns whose heading is in `right` are aligned to the right. */
  table(headings: readonly string[], rows: readonly (readonly string[])[], right: readonly string[] = []): void {
    for (const [index, line] of renderTable(headings, rows, right).entries()) {
      this.line(index === 0 ? this.style('bold', line) : line);
    }
  }
}

/** Returns the lines of a table. Columns are separated by two spaces, and lines have no trailing spaces. */
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

/** Pads text with spaces to `width` terminal columns. Longer text is returned unchanged. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Returns the width in terminal columns. East Asian wide characters and emoji have width 2; combining marks and control sequences have width 0. */
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

/** Returns the streams of this process. NO_COLOR takes precedence over FORCE_COLOR, and FORCE_COLOR over the type of the terminal. */
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

/** Control characters that JSON does not escape but that affect a terminal, and characters that change the text direction. */
const CONTROL = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function withErrors(value: unknown): unknown {
  if (!isError(value)) return value;
  const { code } = value as { readonly code?: unknown };
  return { name: value.name, ...(code === undefined ? {} : { code }), message: value.message };
}
