import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT_CODES } from '../../src/cli/exit-codes';
import { entryOf, type OperationEntry } from '../../src/cli/operations/operation-entry';
import { FINDING_IDS, REPAIRS } from '../../src/operations/finding';
import { allOperations } from '../../src/operations/operations';

const FILE = resolve(__dirname, '../../docs/reference/command-line.md');
const page = readFileSync(FILE, 'utf8');

it('docs/reference/command-line.md lists every exit code with its meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, when]) => ({ code: Number(code), when }));
  expect(rows).toEqual(Object.values(EXIT_CODES));
});

it('docs/reference/command-line.md lists every finding of the doctor, and which of them can be repaired', () => {
  const section = page.split('## `doctor`')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|.*\| (.*?) ?\|$/gm)].flatMap(
    ([, names = '', repair = '']) => [...names.matchAll(/\w+/g)].map(([name]) => ({ name, isRepaired: repair !== '' })),
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...FINDING_IDS].sort());
  expect(rows.flatMap(({ name, isRepaired }) => (isRepaired ? name : [])).sort()).toEqual([...REPAIRS].sort());
});

const TABLE = /(<!-- made from [^\n]* -->\n\n)[\s\S]*?(<!-- end -->)/;

it('docs/reference/command-line.md lists the command of every operation (UPDATE_BASELINE=1 writes them)', () => {
  const entries = allOperations().map(([name, operation]) => entryOf(name, operation));
  const table = ['| command | does | role | options |', '|---|---|---|---|', ...entries.map(rowOf)].join('\n');
  const wanted = page.replace(TABLE, (_, head: string, end: string) => `${head}${table}\n\n${end}`);
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(FILE, wanted);
  else expect(page).toBe(wanted);
});

function rowOf({ operation, fields }: OperationEntry): string {
  const { command, summary, role } = operation;
  const positions = command.arguments ?? [];
  const words = [command.words, ...(command.aliases ?? [])].map((each) => {
    const places = positions.map((name) => {
      const field = fields.find((one) => one.name === name);
      if (field === undefined) throw new Error(`${command.words.join(' ')} has an argument that is no field: ${name}`);
      return field.isList ? `${field.word.toUpperCase()}…` : field.word.toUpperCase();
    });
    return `\`${[...each, ...places].join(' ')}\``;
  });
  const options = fields.filter(({ name }) => !positions.includes(name)).map(({ word }) => `\`--${word}\``);
  return `| ${words.join(', ')} | ${summary} | ${role} | ${options.join(' ')} |`;
}
