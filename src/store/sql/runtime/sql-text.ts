/** One block of a SQL file, from its `-- name:` line to the semicolon. */
export interface SqlText {
  readonly name: string;
  /** Additional `-- key: value` lines in the block. `index` describes the use of indexes. Other comment lines have no effect. */
  readonly notes: Readonly<Record<string, string>>;
  /** The statement without comments and semicolon. Each `:parameter` is replaced with `?`. */
  readonly text: string;
  readonly parameters: readonly string[];
}

const HEADER = /^-- name: ([a-zA-Z][a-zA-Z0-9]*)$/;
const NOTE = /^-- ([a-z]+(?: [a-z]+)?|Index): (.+)$/;

/** Matches strings, quoted names, comments and parameters: all tokens that may contain a colon, a question mark or two dashes. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|(?<![A-Za-z0-9_:]):([A-Za-z][A-Za-z0-9]*)|\?|;/g;

/** Begin of a statement of MariaDB that contains others. */
const COMPOUND = /^(?:BEGIN|IF)\b/;

/** Splits a SQL file into its statements, in order. Throws a TypeError for a file that does not consist of named statements. */
export function splitSql(source: string, file: string): SqlText[] {
  const blocks = new Map<string, string[]>();
  let lines: string[] | null = null;
  for (const line of source.split('\n')) {
    const name = HEADER.exec(line.trim())?.[1];
    if (name !== undefined) {
      if (blocks.has(name)) throw new TypeError(`${file} defines '${name}' twice.`);
      lines = [];
      blocks.set(name, lines);
    } else if (lines !== null) {
      lines.push(line);
    } else if (line.trim() !== '' && !line.startsWith('--')) {
      throw new TypeError(`${file} begins with '${line.trim()}'; expected '-- name: …'.`);
    }
  }
  return [...blocks].map(([name, block]) => readBlock(name, block, file));
}

function readBlock(name: string, lines: readonly string[], file: string): SqlText {
  const notes: Record<string, string> = {};
  for (const line of lines) {
    const note = NOTE.exec(line.trim());
    if (note?.[1] !== undefined && note[2] !== undefined) notes[note[1].toLowerCase()] = note[2];
  }
  const parameters: string[] = [];
  let ends = 0;
  const text = lines.join('\n').replace(TOKEN, (token, parameter: string | undefined) => {
    if (parameter !== undefined) {
      parameters.push(parameter);
      return '?';
    }
    if (token === '?') throw new TypeError(`${file}: '${name}' contains '?'. Use named parameters.`);
    if (token === ';') ends++;
    return token.startsWith('--') ? '' : token;
  });
  const statement = tidy(text);
  if (!statement.endsWith(';') || (ends > 1 && !COMPOUND.test(statement)))
    throw new TypeError(`${file}: '${name}' must be one statement, ended by one semicolon.`);
  return { name, notes, text: statement.slice(0, -1).trimEnd(), parameters };
}

/** Removes the blank lines and indentation that remain after comments are removed. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .trim();
}

/** Returns a text with each `{name}` replaced by the text of that name. */
export function filledIn(text: string, texts: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => texts[name] ?? place);
}
