/* Text format of java.util.Properties, in which Quartz stores job data with `useProperties=true`: ISO-8859-1, other characters as \uXXXX. */

const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\f': '\\f' };

/** Parses a properties file. If a key is repeated, the last value counts. Throws a TypeError for a `\u` without four hexadecimal digits. */
export function parseJavaProperties(bytes: Uint8Array): Readonly<Record<string, string>> {
  const entries = logicalLines(Buffer.from(bytes).toString('latin1')).map(parseEntry);
  return Object.fromEntries(entries);
}

/** The text starts with `#`, so that it differs from JSON. */
export function formatJavaProperties(entries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(entries).map(([key, value]) => `${escaped(key, / /g)}=${escaped(value, /^ /g)}\n`);
  return `#\n${lines.join('')}`;
}

/** Skips blank lines and comments. Joins a line that ends in a backslash with the next line. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  // Collects parts and joins them once per line. Appending to a string would take quadratic time for many continued lines.
  let open: string[] = [];
  for (const natural of text.split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, '');
    if (open.length === 0 && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue;
    const isContinued = /(?<!\\)(?:\\\\)*\\$/.test(line);
    open.push(isContinued ? line.slice(0, -1) : line);
    if (isContinued) continue;
    lines.push(open.join(''));
    open = [];
  }
  if (open.some((part) => part !== '')) lines.push(open.join(''));
  return lines;
}

/** The key ends before the first `=`, `:` or blank that does not follow a backslash. */
function parseEntry(line: string): [string, string] {
  const key = /^(?:\\.|[^\\=: \t\f])*/.exec(line)?.[0] ?? '';
  const value = line.slice(key.length).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
  return [unescaped(key), unescaped(value)];
}

function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.|$)/g, (_, character: string) => {
    if (!character.startsWith('u')) return CONTROLS[character] ?? character;
    if (character.length < 5) throw new TypeError('Expected four hexadecimal digits after \\u.');
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
