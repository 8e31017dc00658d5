import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allOperations } from '../../src/operations/operations';

const DOCS = resolve(__dirname, '../../docs');
const guide = readFileSync(join(DOCS, 'guides/watching-and-steering.md'), 'utf8');
const table = guide.slice(guide.indexOf('## The same without the page'));

/** Commands that are not an operation, because they poll several operations. */
const LOOKING = ['top', 'tail'];

describe('the guide to the console', () => {
  const operations = [...allOperations()].map(([, { command, http }]) => ({
    words: [command.words, ...(command.aliases ?? [])].map((words) => words.join(' ')),
    call: `${http.method} ${http.path}`,
  }));

  it('names the commands and paths of one operation in each row', () => {
    const rows = table.split('\n').filter((line) => line.includes('`quartz '));
    const wrong = rows.filter((row) => {
      const words = [...row.matchAll(/`quartz ([^`]+)`/g)].map(([, found = '']) => found);
      const calls = [...row.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map(([, found]) => found);
      const selected = calls.map((call) => operations.find((each) => each.call === call));
      const commands = words.filter((each) => !LOOKING.includes(each));
      const isRight = selected.every((each, index) => each?.words.includes(commands[index] ?? ''));
      return !isRight || calls.length === 0 || commands.length !== calls.length;
    });
    expect(rows.length).toBeGreaterThan(25);
    expect(wrong).toEqual([]);
  });

  it('shows every picture with an alternative text', () => {
    const shown = [...guide.matchAll(/!\[(.+)\]\(\.\.\/images\/(.+\.png)\)/g)].map(([, , file]) => file);
    expect(shown.sort()).toEqual(readdirSync(join(DOCS, 'images')).sort());
  });
});
