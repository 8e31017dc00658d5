/**
 * Writes sql/expanded/<dialect>.sql from sql/queries: what a server gets. `--check` writes nothing, and fails where a file is not
 * what the queries make.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBlocks, statementsOf, textFor } from './sql/statements.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const QUERIES = join(ROOT, 'sql/queries');
const DIALECTS = join(ROOT, 'scripts/sql/dialects');
const NAMES = join(ROOT, 'src/store/sql/runtime/statement-names.ts');

const files = readdirSync(QUERIES)
  .sort()
  .map((name) => ({ name, source: readFileSync(join(QUERIES, name), 'utf8') }));
const blocks = readBlocks(files);
const statements = statementsOf(blocks);

function expanded(dialect, translate) {
  const texts = statements.map((block) => {
    const { notes, text } = textFor(dialect, block, blocks);
    return [`-- name: ${block.name}`, ...notes, translate(text)].join('\n');
  });
  return `-- Written from sql/queries by scripts/expand-sql.mjs.\n\n${texts.join('\n\n')}\n`;
}

const outputs = [];
for (const file of readdirSync(DIALECTS).sort()) {
  const dialect = file.replace('.mjs', '');
  const { translate } = await import(join(DIALECTS, file));
  outputs.push({ file: join(ROOT, 'sql/expanded', `${dialect}.sql`), text: expanded(dialect, translate) });
}
/** Several names a line: the list is longer than the code that uses it. */
const names = statements
  .map(({ name }) => `'${name}',`)
  .join(' ')
  .replace(/(.{1,117},)(?: |$)/g, '  $1\n');
const source = readFileSync(NAMES, 'utf8').replace(
  /(STATEMENT_NAMES = )\[[^\]]*\]/,
  (_, begin) => `${begin}[\n${names}]`,
);
outputs.push({ file: NAMES, text: source });

const isCheck = process.argv.includes('--check');
for (const { file, text } of outputs) {
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what sql/queries makes: node scripts/expand-sql.mjs`);
    process.exitCode = 1;
  }
}
