/**
 * What the texts of sql/queries have beside PostgreSQL's syntax, read once for all dialects:
 *
 *   @list(:rows, a key, b int) AS r    a set of rows, one JSON parameter: lists, columns by place
 *   @rows(:rows, a key, b int) AS r    the same of objects, columns by name (trigger_name is `triggerName`)
 *   @values(:rows, a key) AS r         the same of single values
 *   IN @values(:rows, a key)           one of these values
 *   @index(NAME)                       the index that is used
 *   @then                              JOIN, in this order
 *   @now                               the server's clock in milliseconds
 *
 * Types of columns: key (what tables have for names), text, text(n), int, float; `null` behind one of a list: the place holds
 * a list of one value or none. `position place`: the number of the row, from 0.
 */
const ROWS = /@(list|rows|values)\((:\w+),((?:[^()]|\(\d+\))*)\) AS (\w+)/g;
const IN_VALUES = /IN @values\((:\w+), (\w+ \w+(?:\(\d+\))?)\)/g;
const COLUMN = /^(\w+) (key|text|int|float|place)(?:\((\d+)\))?( null)?$/;

/** The text with every set of rows replaced by what `write` makes of { kind, parameter, columns, alias }. */
export function replaceRows(text, write) {
  return text.replace(ROWS, (_, kind, parameter, list, alias) =>
    write({ kind, parameter, alias, columns: columnsOf(kind, list) }),
  );
}

/** The same of every `IN @values(…)`: { parameter, column }. */
export function replaceIn(text, write) {
  return text.replace(
    IN_VALUES,
    (_, parameter, column) => `IN ${write({ parameter, column: columnsOf('values', column)[0] })}`,
  );
}

/** Columns with the path of each in its row, and their type. */
function columnsOf(kind, list) {
  let place = 0;
  return list.split(',').map((source) => {
    const [all, name, type, size, isNull] = COLUMN.exec(source.trim().replace(/\s+/g, ' ')) ?? [];
    if (all === undefined) throw new Error(`Not a column: '${source.trim()}'.`);
    if (type === 'place') return { name, type };
    const key = kind === 'rows' ? camelCase(name) : place++;
    return { name, type, size, key, isNull: isNull !== undefined };
  });
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The text with each call of a function replaced by what `write` makes of its arguments. */
export function replaceCalls(text, name, write) {
  const at = text.search(new RegExp(`\\b${name}\\(`));
  if (at < 0) return text;
  const begin = at + name.length + 1;
  const parts = [];
  let depth = 0;
  let from = begin;
  for (let i = begin; ; i++) {
    const char = text[i];
    if (char === undefined) throw new Error(`${name}( is not closed: ${text.slice(at, at + 80)}`);
    if (char === "'") i = text.indexOf("'", i + 1);
    else if (char === '(') depth++;
    else if (depth === 0 && (char === ',' || char === ')')) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
      if (char === ')')
        return (
          text.slice(0, at) +
          write(...parts.map((part) => replaceCalls(part, name, write))) +
          replaceCalls(text.slice(i + 1), name, write)
        );
    } else if (char === ')') depth--;
  }
}

/** UPDATE and DELETE of many rows: `UPDATE t SET … FROM @list … ON … WHERE …`, `DELETE FROM t USING @list … ON … WHERE …`. Null: another statement. */
export function manyRowsOf(text) {
  const MANY =
    /^(UPDATE|DELETE FROM) (\w+) AS (\w+)(?: @index\((\w+)\))?\n(?:SET ([\s\S]*?)\n)?(?:FROM|USING) (@(?:list|rows|values)\([\s\S]*? AS (\w+))\n\s+ON ([\s\S]*?)(?:\nWHERE ([\s\S]*))?;$/;
  const [all, verb, table, alias, index, set, rows, rowAlias, on, where] = MANY.exec(text) ?? [];
  if (all === undefined && /^(?:UPDATE|DELETE FROM) \w+ AS [\s\S]*\n(?:FROM|USING) @/.test(text))
    throw new Error(`Not UPDATE … SET … FROM @list … ON … or DELETE … USING @list … ON …:\n${text}`);
  return all === undefined ? null : { verb, table, alias, index, set, rows, rowAlias, on, where };
}
