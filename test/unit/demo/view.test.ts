import { DemoView } from '../../../demo/view';

function viewOn(columns: number | null | undefined) {
  const lines: string[] = [];
  let drawn = '';
  const write = (text: string) => {
    drawn += text;
  };
  const terminal = columns === null ? null : columns === undefined ? { write } : { write, columns };
  const view = new DemoView({ terminal, line: (text) => lines.push(text), style: (_, text) => text });
  return { view, lines, drawn: () => drawn };
}

describe('the view of the demo', () => {
  it('redraws the table below the events on a terminal', () => {
    const { view, lines, drawn } = viewOn(80);
    view.show([['a'], ['b']]);
    view.print('news');
    view.show([['c']], true);
    view.show([['d']]);
    const table = '\na\nb\n\n';
    expect(drawn()).toBe(`${table}\u001b[4A\u001b[0J 0.0 s  news\n${table}\u001b[4A\u001b[0J\nc\n\n\nd\n\n`);
    expect(lines).toEqual([]);
  });

  it.each([
    [5, '1234'],
    [0, '123456789'],
    [undefined, '123456789'],
  ])('shortens long lines on a terminal of %s columns', (columns, line) => {
    const { view, drawn } = viewOn(columns);
    view.show([['123456789']]);
    expect(drawn()).toBe(`\n${line}\n\n`);
  });

  it('prints the events and the last table as lines without a terminal', () => {
    const { view, lines } = viewOn(null);
    view.show([['a']]);
    view.print('news');
    view.show(
      [
        ['node', 'state'],
        ['node-1', 'alive'],
      ],
      true,
    );
    expect(lines).toEqual([' 0.0 s  news', '', 'node    state', 'node-1  alive', '']);
  });
});
