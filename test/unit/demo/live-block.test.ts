import { LiveBlock } from '../../../demo/live-block';

function blockOn(columns: number | undefined) {
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const block = new LiveBlock(columns === undefined ? { write } : { write, columns });
  return { block, written: () => written };
}

describe('a live block', () => {
  it('draws itself anew where it was, and lets lines run past above it', () => {
    const { block, written } = blockOn(80);
    block.draw(['a', 'b']);
    block.print('news');
    block.draw(['c']);
    expect(written()).toBe('a\nb\n\u001b[2A\u001b[0Jnews\na\nb\n\u001b[2A\u001b[0Jc\n');
  });

  it('cuts what would wrap', () => {
    const { block, written } = blockOn(5);
    block.draw(['123456789']);
    expect(written()).toBe('1234\n');
  });

  it.each([[0], [undefined]])('shows itself on a terminal whose width is %s', (columns) => {
    const { block, written } = blockOn(columns);
    block.draw(['node-1 alive']);
    expect(written()).toBe('node-1 alive\n');
  });
});
