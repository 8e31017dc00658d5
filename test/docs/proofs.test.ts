import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from '@typescript/typescript6';
import { ERROR_CODES } from '../../src/base/errors';
import { EVENT_TYPES } from '../../src/events/log-subscriber';
import type { ReferencePage } from '../support/proves';
import { commandLineEntries, optionsOf } from './reference-entries/command-line';
import { configurationEntries } from './reference-entries/configuration';
import { errorEntries } from './reference-entries/errors';
import { eventEntries } from './reference-entries/events';
import { keysOfSchedules, scheduleFileEntries } from './reference-entries/schedule-file';

const TESTS = resolve(__dirname, '..');

/** Entries of each page of the reference. */
const ENTRIES: Readonly<Record<ReferencePage, readonly string[]>> = {
  configuration: configurationEntries(),
  errors: errorEntries(),
  events: eventEntries(),
  'command-line': commandLineEntries(),
  'schedule-file': scheduleFileEntries(),
};

/** Prefix of `all under: …`: the test proves each row of the table under a heading of configuration.md. */
const ALL_UNDER = 'all under: ';

/** A call of `proves`. */
interface Mark {
  readonly place: string;
  readonly page: string;
  readonly entries: readonly string[];
}

/** Calls of `proves` in the tests. Throws for a call outside a test, or whose arguments are not literals. */
function marksIn(file: string): readonly Mark[] {
  const text = readFileSync(join(TESTS, file), 'utf8');
  if (!text.includes('proves(')) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const marks: Mark[] = [];
  const visit = (node: ts.Node, isInTest: boolean): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'proves') {
      const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
      const isRead = isInTest && node.arguments.length > 1 && node.arguments.every(ts.isStringLiteralLike);
      if (!isRead) throw new Error(`${place}: expected proves('page', 'entry', …) in a test, with literals.`);
      const [page = '', ...texts] = node.arguments.map((each) => (each as ts.StringLiteral).text);
      const entries = texts.flatMap((text) =>
        text.startsWith(ALL_UNDER) ? configurationEntries(text.slice(ALL_UNDER.length)) : [text],
      );
      marks.push({ place, page, entries });
    }
    const isTest = ts.isCallExpression(node) && /^(it|test)\b/.test(node.expression.getText());
    ts.forEachChild(node, (child) => visit(child, isInTest || isTest));
  };
  visit(source, false);
  return marks;
}

const marks = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== 'support/proves.ts')
  .flatMap(marksIn);

describe.each(Object.entries(ENTRIES))('docs/reference/%s.md', (page, entries) => {
  const ofPage = marks.filter((mark) => mark.page === page);

  it('lists each entry once', () => {
    expect(entries.length).toBeGreaterThan(10);
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
  });

  it('has a test for each entry', () => {
    const proved = new Set(ofPage.flatMap((mark) => mark.entries));
    expect(entries.filter((entry) => !proved.has(entry))).toEqual([]);
  });

  it('lists every entry that a test proves', () => {
    const named = new Set(entries);
    const unknown = ofPage.flatMap(({ place, entries: of }) =>
      of.filter((entry) => !named.has(entry)).map((entry) => `${place}: ${entry}`),
    );
    expect(unknown).toEqual([]);
  });
});

it('every error code, event, key of a schedule file and option of a command has an entry in the reference', async () => {
  expect(errorEntries().toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
  expect(eventEntries().toSorted()).toEqual(EVENT_TYPES.toSorted());
  const commands = commandLineEntries().filter((entry) => /^[a-z ]+$/.test(entry) && !entry.includes('-'));
  const options = await Promise.all(
    commands.map(async (name) => (await optionsOf(name)).map((each) => `${name} ${each}`)),
  );
  const documented = commandLineEntries().filter((entry) => / --/.test(entry) && !entry.startsWith('Operations '));
  expect(documented.toSorted()).toEqual(options.flat().toSorted());
  const ofOperations = commandLineEntries().filter((entry) => entry.startsWith('Operations --'));
  const withAll = [...(await optionsOf('nodes list')), '--all', '--file', '--yes'];
  expect(ofOperations.toSorted()).toEqual(withAll.map((option) => `Operations ${option}`).toSorted());
  expect(scheduleFileEntries()).toEqual(expect.arrayContaining([...keysOfSchedules()]));
});
