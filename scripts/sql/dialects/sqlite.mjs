import { manyRowsOf, replaceCalls, replaceIn, replaceRows } from '../markers.mjs';

const NOW = "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)";

/** One statement in SQLite's syntax. */
export function translate(source) {
  const { text: whole, rows } = withRows(manyRows(source));
  let text = replaceIn(whole, ({ parameter }) => `(SELECT value FROM json_each(${parameter}))`);
  text = replaceCalls(text, 'STRPOS', (of, part) => `INSTR(${of}, ${part})`);
  text = replaceCalls(text, 'DECODE', (hex) => `unhex(${hex})`);
  text = replaceCalls(text, 'CONCAT', (...parts) =>
    parts.length === 1 ? `CAST(${parts[0]} AS TEXT)` : parts.join(' || '),
  );
  text = replaceCalls(text, 'CONCAT_WS', (separator, ...parts) => parts.join(` || ${separator} || `));
  return (rows + text)
    .replace(/ @index\(PRIMARY\)/g, '')
    .replace(/@index\((\w+)\)/g, 'INDEXED BY $1')
    .replace(/@then\b/g, 'CROSS JOIN') // which SQLite never turns round
    .replace(/@now\b/g, NOW)
    .replace(/\bLEAST\(/g, 'MIN(')
    .replace(/\bGREATEST\(/g, 'MAX(')
    .replace(/\bCHAR_LENGTH\(/g, 'LENGTH(')
    .replace(/ AS BIGINT\)/g, ' AS INTEGER)')
    .replace(/ IS NOT DISTINCT FROM /g, ' IS ')
    .replace(/\n\s*FOR (?:UPDATE|SHARE)(?: OF \w+(?:, \w+)*)?(?: SKIP LOCKED)?(?: \/\*M! .*? \*\/)?(?=\n|;)/g, '') // one connection writes at a time
    .replace(/\b(LIMIT|OFFSET) (:\w+)/g, '$1 $2 + 0'); // or it would plan anew for every limit: see sql/README.md
}

/** UPDATE … FROM r WHERE …; a DELETE finds its rows by a list of keys. */
function manyRows(text) {
  const many = manyRowsOf(text);
  if (many === null) return isSelectedWhole(text) ? text.replace(/\nON CONFLICT/, '\nWHERE true\nON CONFLICT') : text; // or ON belongs to a join
  const { verb, table, alias, index, set, rows, rowAlias, on, where } = many;
  const target = `${table} AS ${alias}${index === undefined ? '' : ` @index(${index})`}`;
  const rest = conditionsOf(where).map((condition) => condition.replace(new RegExp(`^${alias}\\.`), `+${alias}.`)); // no index for these
  const pairs = conditionsOf(on);
  if (verb === 'UPDATE')
    return `UPDATE ${target}\nSET ${set}\nFROM ${rows}\nWHERE ${[...pairs, ...rest].join('\n  AND ')};`;
  const ofRows = [...pairs, ...rest]
    .map((pair) => pair.split(' = '))
    .filter(([, value]) => value?.startsWith(`${rowAlias}.`));
  const fixed = [...pairs, ...rest].filter((pair) => !ofRows.some((parts) => parts.join(' = ') === pair));
  const columns = ofRows.map(([column]) => column).join(', ');
  const keys = `${ofRows.length > 1 ? `(${columns})` : columns} IN (SELECT ${ofRows.map(([, value]) => value).join(', ')} FROM ${rows})`;
  const [scheduler, ...others] = fixed;
  return `DELETE FROM ${target}\nWHERE ${[scheduler, keys, ...others].join('\n  AND ')};`;
}

const isSelectedWhole = (text) => /^INSERT[\s\S]*\nSELECT /.test(text) && !text.includes('\nWHERE ');

/** The conditions that AND joins at the beginning of lines, or of one line; alternatives are one. */
function conditionsOf(text) {
  if (text === undefined) return [];
  if (/\n\s+OR /.test(text)) return [`(${text})`];
  const lines = text.split(/\n {2}AND /);
  return lines.length > 1 || /\(SELECT|BETWEEN|CASE/.test(text) ? lines : text.split(/\s+AND /);
}

/** Sets of rows stand before the statement, read once; what is compared with :schedName beside one of their columns is compared with theirs. */
function withRows(source) {
  const tables = [];
  let text = replaceRows(source, ({ kind, parameter, columns, alias }) => {
    const lines = columns.map((column) => `${readValue(column, kind)} AS ${column.name}`);
    tables.push(
      `${alias} AS MATERIALIZED (\n  SELECT :schedName AS sched_name,\n         ${lines.join(',\n         ')}\n  FROM json_each(${parameter}))`,
    );
    return alias;
  });
  const aliases = tables.map((table) => table.slice(0, table.indexOf(' ')));
  const rows = tables.length === 0 ? '' : `WITH ${tables.join(',\n')}\n`;
  if (tables.length > 0)
    text = text.replace(/= :schedName(?=\s+AND \w+\.\w+ = (\w+)\.\w+)/g, (all, alias) =>
      aliases.includes(alias) ? `= ${alias}.sched_name` : all,
    );
  return { text, rows };
}

function readValue({ type, key, isNull }, kind) {
  if (type === 'place') return 'key';
  if (kind === 'values') return 'value';
  if (kind === 'rows') return `value ->> '${key}'`;
  return isNull ? `value ->> '$[${key}][0]'` : `value ->> ${key}`;
}
