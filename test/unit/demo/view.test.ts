import { DemoBoard } from '../../../demo/board';
import { DemoView } from '../../../demo/view';

const URL = 'http://127.0.0.1:38211/#token=abcdefghij';

function viewOn(columns: number | null) {
  const lines: string[] = [];
  let drawn = '';
  const write = (text: string) => {
    drawn = text;
  };
  const plain = (_: string, text: string) => text;
  const view = new DemoView(
    {
      terminal: columns === null ? null : { columns, write },
      line: (text) => lines.push(text),
      note: (text) => lines.push(text),
      style: plain,
      noteStyle: plain,
    },
    new DemoBoard(),
    URL,
  );
  return { view, lines, drawn: () => drawn };
}

describe('the view of the demo', () => {
  it.each([[120], [20], [null]])('prints the address of the console first, in one line, with %s columns', (columns) => {
    const { lines } = viewOn(columns);
    expect(lines).toEqual([`Console: ${URL}`]);
  });

  it('shows the address below the table until the demo ends', () => {
    const { view, drawn } = viewOn(120);
    view.refresh();
    expect(drawn()).toContain(`Console: ${URL}\n`);
    view.end();
    expect(drawn().split('\u001b[0J').at(-1)).not.toContain(URL);
  });

  it('omits the address if the terminal is too narrow', () => {
    const { view, drawn } = viewOn(20);
    view.refresh();
    expect(drawn()).not.toContain('http');
  });
});
