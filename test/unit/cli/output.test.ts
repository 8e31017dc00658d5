import { printable } from '../../../src/base/printable';
import { Output, padEnd, renderTable, widthOf } from '../../../src/cli/output';
import { memoryOutput } from '../../support/memory-output';

describe('renderTable', () => {
  it('aligns columns, with numbers on the right and no trailing blanks', () => {
    expect(
      renderTable(
        ['name', 'count'],
        [
          ['a', '1'],
          ['long name', '100'],
        ],
        ['count'],
      ),
    ).toEqual(['name       count', 'a              1', 'long name    100']);
    expect(renderTable(['name', 'count'], [['a', '1']])).toEqual(['name  count', 'a     1']);
  });

  it('renders missing cells as blanks', () => {
    expect(renderTable(['a', 'b'], [['1']])).toEqual(['a  b', '1']);
  });
});

it('padEnd pads by the width on a terminal', () => {
  expect([padEnd('任务', 6), padEnd('abc', 6), padEnd('longer', 3)]).toEqual(['任务  ', 'abc   ', 'longer']);
});

it('printable replaces characters that move the cursor, colour the terminal or start a line', () => {
  expect(printable('a\u001b[31mb\nc\u0085d\u2028e\u007f')).toBe('a\ufffd[31mb\ufffdc\ufffdd\ufffde\ufffd');
  expect(printable('Aufräumen 任务 🚀')).toBe('Aufräumen 任务 🚀');
});

it.each([
  ['abc', 3],
  ['任务', 4],
  ['e\u0301', 1],
  ['🚀', 2],
  ['\u001b[31mred\u001b[39m', 3],
])('widthOf returns the width of %j on a terminal', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

describe('Output', () => {
  it('writes colours only to streams that show them', () => {
    const plain = memoryOutput();
    expect(plain.output.style('red', 'x')).toBe('x');
    const colored = new Output({
      stdout: { write() {} },
      stderr: { write() {} },
      colors: { stdout: true, stderr: false },
    });
    expect(colored.style('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    expect(colored.noteStyle('red', 'x')).toBe('x');
  });

  it('omits the given keys from JSON at any depth', () => {
    const { output, stdout } = memoryOutput();
    output.json({ job: { name: 'a', data: { token: 'x' } }, data: 1 }, ['data']);
    expect(stdout()).toBe('{"job":{"name":"a"}}\n');
  });

  it('includes code and message of errors in JSON', () => {
    const { output, stdout } = memoryOutput();
    output.json({ error: Object.assign(new TypeError('bad'), { code: 'E1' }) });
    expect(stdout()).toBe('{"error":{"name":"TypeError","code":"E1","message":"bad"}}\n');
  });
});
