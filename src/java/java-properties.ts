/* Text format of java.util.Properties, in which Quartz stores job data with `useProperties=true`: ISO-8859-1, other characters as \uXXXX. */

const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\f': '\\f' };

/** A key and its value. Offsets count from the start of the text. */
interface JavaProperty {
  readonly key: string;
  readonly value: string;
  /** Line as written, with its continuation lines. */
  readonly line: string;
  readonly keyOffset: number;
  readonly valueOffset: number;
  /** Offset of a `\u` without four hexadecimal digits, which Java rejects; null if there is none. */
  readonly wrongEscape: number | null;
}

/** Reads the properties of a text, in its order. A key can occur more than once. */
export function readJavaProperties(text: string): readonly JavaProperty[] {
  return logicalLines(text).map(readProperty);
}

/** Parses a properties file. If a key is repeated, the last value counts. Throws a TypeError for a `\u` without four hexadecimal digits. */
export function parseJavaProperties(bytes: Uint8Array): Readonly<Record<string, string>> {
  const properties = readJavaProperties(Buffer.from(bytes).toString('latin1'));
  if (properties.some(({ wrongEscape }) => wrongEscape !== null))
    throw new TypeError('Expected four hexadecimal digits after \\u.');
  return Object.fromEntries(properties.map(({ key, value }) => [key, value]));
}

/** The text starts with `#`, so that it differs from JSON. */
export function formatJavaProperties(entries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(entries).map(([key, value]) => `${escaped(key, / /g)}=${escaped(value, /^ /g)}\n`);
  return `#\n${lines.join('')}`;
}

/** Part of a logical line: the text of a natural line without its indent, and its offset. */
interface LinePart {
  readonly text: string;
  readonly offset: number;
}

/** Skips blank lines and comments. Joins a line that ends in a backslash with the next line. */
function logicalLines(text: string): readonly (readonly LinePart[])[] {
  const lines: LinePart[][] = [];
  let open: LinePart[] | null = null;
  for (const { 1: natural = '', index } of text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)) {
    const line = natural.replace(/^[ \t\f]+/, '');
    if (open === null && (line === '' || line === '\\' || line.startsWith('#') || line.startsWith('!'))) continue;
    const isContinued = /(?<!\\)(?:\\\\)*\\$/.test(line);
    const part = { text: isContinued ? line.slice(0, -1) : line, offset: index + natural.length - line.length };
    if (open === null) {
      open = [];
      lines.push(open);
    }
    open.push(part);
    if (!isContinued) open = null;
  }
  return lines;
}

/** The key ends before the first `=`, `:` or blank that does not follow a backslash. */
function readProperty(parts: readonly LinePart[]): JavaProperty {
  const line = parts.map(({ text }) => text).join('');
  const key = /^(?:\\.|[^\\=: \t\f])*/s.exec(line)?.[0] ?? '';
  const value = line.slice(key.length).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
  const wrong = [...line.matchAll(/\\(?:u[\da-f]{4}|.)/gis)].find(([found]) => found === '\\u');
  return {
    key: unescaped(key),
    value: unescaped(value),
    line,
    keyOffset: offsetIn(parts, 0),
    valueOffset: offsetIn(parts, line.length - value.length),
    wrongEscape: wrong === undefined ? null : offsetIn(parts, wrong.index),
  };
}

/** Converts an index in the joined line to an offset in the text. */
function offsetIn(parts: readonly LinePart[], index: number): number {
  let rest = index;
  for (const { text, offset } of parts) {
    if (rest < text.length) return offset + rest;
    rest -= text.length;
  }
  const last = parts.at(-1);
  return last === undefined ? 0 : last.offset + last.text.length;
}

function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.|$)/gs, (_, character: string) => {
    if (!/^u./.test(character)) return CONTROLS[character] ?? character;
    return String.fromCharCode(Number.parseInt(character.slice(1), 16));
  });
}

function escaped(text: string, blanks: RegExp): string {
  return text
    .replace(/[\\=:#!]/g, '\\$&')
    .replace(blanks, '\\ ')
    .replace(/[\t\n\r\f]/g, (control) => ESCAPES[control] ?? control)
    .replace(/[^\x20-\x7e]/g, (other) => `\\u${other.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
}
