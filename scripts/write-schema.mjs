/**
 * Writes sql/<dialect>/schema.sql: the tables as all migrations leave them. `--check` writes nothing, and fails where a file
 * is not what the migrations make. It understands the statements that migrations have had so far, and refuses others.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SQL = join(dirname(fileURLToPath(import.meta.url)), '../sql');
const ORIGIN =
  '-- Generated from migrations/ by scripts/write-schema.mjs. The comment above each table explains its indexes.';
const CREATE_TABLE = /^CREATE TABLE IF NOT EXISTS (\w+)/m;
const CREATE_INDEX = /^CREATE INDEX (?:IF NOT EXISTS )?(\w+) ON (\w+)/m;
const ADD_COLUMN = /^ALTER TABLE (\w+) ADD COLUMN (.+);$/m;

/** The text of schema.sql: the header of the first migration, then the blocks of all. */
function schemaOf(dialect) {
  const folder = join(SQL, dialect, 'migrations');
  const [first, ...later] = readdirSync(folder).sort();
  const [header, ...blocks] = blocksOf(join(folder, first));
  for (const file of later) blocks.push(...blocksOf(join(folder, file)).slice(1));
  const tables = [header.replace(/^-- Every step can be repeated.*$/m, ORIGIN)];
  for (const block of blocks) add(tables, block);
  return `${tables.join('\n\n')}\n`;
}

function blocksOf(file) {
  return readFileSync(file, 'utf8')
    .split(/^(?=-- name: )/m)
    .map((block) => block.trim());
}

function add(tables, block) {
  const [, table, definition] = ADD_COLUMN.exec(block) ?? [];
  if (table !== undefined) {
    const at = tables.findIndex((text) => CREATE_TABLE.exec(text)?.[1] === table);
    const comments = block
      .split('\n')
      .filter((line) => line.startsWith('-- ') && !/^-- (name|unless column|usable from):/.test(line));
    tables[at] = tables[at]
      .replace(/^(?=CREATE TABLE )/m, comments.map((line) => `${line}\n`).join(''))
      .replace(/^(?= {2}PRIMARY KEY )/m, `  ${definition},\n`);
    return;
  }
  const [, index] = CREATE_INDEX.exec(block) ?? [];
  const isInTable = tables.some((text) => new RegExp(`^  KEY ${index} `, 'm').test(text));
  if (index === undefined && !CREATE_TABLE.test(block)) throw new TypeError(`Not understood:\n${block}`);
  if (!isInTable) tables.push(block);
}

const isCheck = process.argv.includes('--check');
for (const dialect of ['mysql', 'sqlite']) {
  const file = join(SQL, dialect, 'schema.sql');
  const text = schemaOf(dialect);
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what the migrations make: node scripts/write-schema.mjs`);
    process.exitCode = 1;
  }
}
