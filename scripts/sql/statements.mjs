/**
 * Reads sql/queries: named statements, the parts that they share, and the texts of their own that dialects have.
 *
 *   -- name: selectX          a statement, or `-- part: x` for what `-- include: x` puts into statements of any file
 *   -- comments
 *   SELECT …;                 the text, for every dialect that has none of its own
 *   -- only: mysql            from here on: the text of these dialects alone
 *   SELECT …;
 *
 * `-- each: TABLE, …` below a name makes one statement for each table: `@table` in it, and the name ends with it.
 */
const HEADER = /^-- (name|part): ([a-zA-Z][a-zA-Z0-9]*)$/;
const ONLY = /^-- only: ([a-z]+(?:, [a-z]+)*)$/;
const INCLUDE = /^-- include: ([a-zA-Z][a-zA-Z0-9]*)(;?)$/;
/** What the runtime and the tests read from comments, with the lines that belong to it. */
const NOTES = /^-- (?:counts: |Index: ).*(?:\n-- (?!\w+: ).*)*/gm;
const EACH = /^-- each: (.+)$/;

/** The blocks of `files` ({ name, source }) by name. Throws for a line that stands before the first header, and for a name that is used twice. */
export function readBlocks(files) {
  const blocks = new Map();
  for (const { name: file, source } of files) {
    let block = null;
    let texts = null;
    for (const [at, line] of source.split('\n').entries()) {
      const where = `sql/queries/${file}:${at + 1}`;
      const [, kind, name] = HEADER.exec(line) ?? [];
      const [, dialects] = ONLY.exec(line) ?? [];
      if (name !== undefined) {
        if (blocks.has(name)) throw new Error(`${where}: '${name}' is defined in ${blocks.get(name).file} already.`);
        block = { kind, name, file, where, common: [], own: new Map() };
        blocks.set(name, block);
        texts = [block.common];
      } else if (dialects !== undefined && block !== null) {
        texts = dialects.split(', ').map((dialect) => ownText(block, dialect, where));
      } else if (block !== null) {
        for (const lines of texts) lines.push(line);
      } else if (line !== '' && !line.startsWith('--')) {
        throw new Error(`${where}: expected '-- name: …' before the first statement, found '${line}'.`);
      }
    }
  }
  return blocks;
}

function ownText(block, dialect, where) {
  if (block.own.has(dialect)) throw new Error(`${where}: '${block.name}' has an own text for ${dialect} already.`);
  const lines = [];
  block.own.set(dialect, lines);
  return lines;
}

/** The statements that blocks make: one each, or one for each table. */
export function statementsOf(blocks) {
  return [...blocks.values()].filter(({ kind }) => kind === 'name').flatMap(forEachTable);
}

function forEachTable(block) {
  const tables = block.common.flatMap((line) => EACH.exec(line)?.[1].split(', ') ?? []);
  if (tables.length === 0) return [block];
  return tables.map((table) => {
    const words = table
      .replace(/^QRTZ_(?:X_)?/, '')
      .toLowerCase()
      .split('_');
    const name = block.name + words.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
    return { ...block, name, common: block.common.map((line) => line.replaceAll('@table', table)) };
  });
}

/** What a dialect makes of a statement: its notes for the runtime, and its text with the parts in it, not translated yet. */
export function textFor(dialect, block, blocks) {
  const isOwn = block.own.has(dialect);
  const lines = isOwn ? block.own.get(dialect) : block.common;
  const notes = (isOwn ? [...block.common, ...lines] : lines).join('\n').match(NOTES) ?? [];
  return {
    notes,
    text: lines
      .flatMap((line) => included(line, dialect, block, blocks))
      .join('\n')
      .trim(),
  };
}

/** A line of a statement: comments go, and a part takes the place of `-- include`. */
function included(line, dialect, block, blocks) {
  const [, name, end] = INCLUDE.exec(line) ?? [];
  if (name === undefined) return line.startsWith('--') || line.trim() === '' ? [] : [line];
  const part = blocks.get(name);
  if (part?.kind !== 'part') throw new Error(`${block.where}: '${block.name}' includes '${name}', which is no part.`);
  const { text } = textFor(dialect, part, blocks);
  return [`${text}${end}`];
}
