import { manyRowsOf, replaceCalls, replaceIn, replaceRows } from '../markers.mjs';

/** MySQL and MariaDB. Text columns of JSON_TABLE name their collation: the runtime puts that of the tables there. */
const KEY_TEXT = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
const NOW = 'CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)';

/** One statement in MySQL's syntax. */
export function translate(source) {
  let text = upsert(inOrder(manyRows(source)));
  text = replaceIn(
    text,
    ({ parameter, column }) => `(SELECT r.${column.name} FROM ${jsonTable(parameter, [column], 'values')} AS r)`,
  );
  const places = [];
  text = replaceRows(text, ({ kind, parameter, columns, alias }) => {
    for (const { name, type } of columns) if (type === 'place') places.push(`${alias}.${name}`);
    return `${jsonTable(parameter, columns, kind)} AS ${alias}`;
  });
  for (const place of places) text = text.replaceAll(place, `(${place} - 1)`); // FOR ORDINALITY counts from 1
  text = replaceCalls(text, 'STRPOS', (whole, part) => `LOCATE(${part}, ${whole})`);
  text = replaceCalls(text, 'DECODE', (hex) => `UNHEX(${hex})`);
  text = rowOrder(text);
  return text
    .replace(/@index\((\w+)\)/g, 'FORCE INDEX ($1)')
    .replace(/@now\b/g, NOW)
    .replace(/ AS BIGINT\)/g, ' AS SIGNED)')
    .replace(/ IS NOT DISTINCT FROM /g, ' <=> ')
    .replace(/FOR UPDATE OF (\w+(?:, \w+)*)/g, 'FOR UPDATE /*!80000 OF $1 */') // MariaDB has no OF, and takes it for a comment
    .replace(/FOR SHARE OF (\w+)/g, '/*!80000 FOR SHARE OF $1 */ /*M! LOCK IN SHARE MODE */');
}

/** The order of joins: said for the whole statement where it begins at a table, so that its rows keep the order of the index. */
function inOrder(text) {
  const [, first = '@'] = /^SELECT\s[\s\S]*?\nFROM (\S)/.exec(text) ?? [];
  const isOfTable = first !== '@' && text.includes('\n@then');
  return isOfTable
    ? text.replace(/^SELECT/, 'SELECT STRAIGHT_JOIN').replace(/@then\b/g, 'JOIN')
    : text.replace(/@then\b/g, 'STRAIGHT_JOIN');
}

/** UPDATE and DELETE begin at the rows, and find those of the table by its key or the index. */
function manyRows(text) {
  const many = manyRowsOf(text);
  if (many === null) return text.replace(/^DELETE FROM (\w+) AS (\w+)/, 'DELETE $2\nFROM $1 AS $2 @index(PRIMARY)');
  const { verb, table, alias, index = 'PRIMARY', set, rows, on, where } = many;
  const join = `${rows}\nSTRAIGHT_JOIN ${table} AS ${alias} @index(${index})\n  ON ${on}\n`;
  const end = where === undefined ? ';' : `WHERE ${where};`;
  if (verb === 'DELETE FROM') return `DELETE ${alias}\nFROM ${join}${end}`.replace(/\n;$/, ';');
  const assignments = set.replace(/(^|,\s*)([A-Z][A-Z0-9_]*) =/g, `$1${alias}.$2 =`);
  return `UPDATE ${join}SET ${assignments}\n${end}`.replace(/\n;$/, ';');
}

/** (a, b) > (x, y): MySQL finds no range of an index with it, but with a > x OR (a = x AND b > y). */
function rowOrder(text) {
  return text.replace(/\(([\w.]+(?:, [\w.]+)+)\) > \((:\w+(?:, :\w+)+)\)/g, (_, columns, values) =>
    after(columns.split(', '), values.split(', ')),
  );
}

function after([column, ...columns], [value, ...values]) {
  const isGreater = `${column} > ${value}`;
  return columns.length === 0 ? isGreater : `(${isGreater} OR (${column} = ${value} AND ${after(columns, values)}))`;
}

/** ON CONFLICT … DO UPDATE and DO NOTHING: what `excluded` holds is named by where it comes from. */
function upsert(text) {
  const conflict = /\nON CONFLICT \((\w+)[^)]*\) DO (?:UPDATE SET\s+([\s\S]*)|NOTHING);$/.exec(text);
  if (conflict === null) return text;
  const source = sourceOf(text);
  const [all, key, set = `${key} = excluded.${key}`] = conflict;
  const changes = set.replace(/\bexcluded\.(\w+)/g, (_, column) => source(column));
  return `${text.slice(0, -all.length)}\nON DUPLICATE KEY UPDATE\n  ${changes};`;
}

/** What an INSERT writes into a column: its place in the list that it selects, or VALUES(column). */
function sourceOf(text) {
  const [, list, selected] = /^INSERT INTO \w+\s+\(([^)]*)\)\s+(?:SELECT ([\s\S]*?)\nFROM )?/.exec(text) ?? [];
  if (selected === undefined) return (column) => `VALUES(${column})`;
  const columns = list.split(',').map((column) => column.trim());
  const values = selected.split(',').map((value) => value.trim());
  return (column) => values[columns.indexOf(column)];
}

function jsonTable(parameter, columns, kind) {
  const lines = columns.map((column) => `         ${column.name} ${typeOf(column)}${pathOf(column, kind)}`);
  return `JSON_TABLE(${parameter}, '$[*]' COLUMNS (\n${lines.join(',\n')}))`;
}

function pathOf({ type, key, isNull }, kind) {
  if (type === 'place') return '';
  const path = kind === 'values' ? '$' : kind === 'rows' ? `$.${key}` : `$[${key}]`;
  return ` PATH '${path}${isNull ? '[0]' : ''}'`;
}

function typeOf({ type, size }) {
  if (type === 'place') return 'FOR ORDINALITY';
  if (type === 'int') return 'BIGINT';
  if (type === 'float') return 'DOUBLE';
  if (type === 'key') return `VARCHAR(190) ${KEY_TEXT}`;
  return `${size === undefined ? 'LONGTEXT' : `VARCHAR(${size})`} ${KEY_TEXT}`;
}
