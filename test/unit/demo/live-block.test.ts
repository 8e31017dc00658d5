import { LiveBlock } from '../../../demo/live-block';

function blockOn(columns: number | undefined) {
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const block = new LiveBlock(columns === undefined ? { write } : { write, columns });
  return { block, written: () => written };
}

describe('a live block on a terminal', () => {
  it('is redrawn in place, with printed lines above it', () => {
    const { block, written } = blockOn(80);
    block.draw(['a', 'b']);
    block.print('news');
    block.draw(['c']);
    expect(written()).toBe('a\nb\n\u001b[2A\u001b[0Jnews\na\nb\n\u001b[2A\u001b[0Jc\n');
  });

  it('is truncated to the width of the terminal, so that no line wraps', () => {
    const { block, written } = blockOn(5);
    block.draw(['123456789']);
    expect(written()).toBe('1234\n');
  });

  it.each([[0], [undefined]])('is shown even if the width of the terminal is %s', (columns) => {
    const { block, written } = blockOn(columns);
    block.draw(['node-1 alive']);
    expect(written()).toBe('node-1 alive\n');
  });
});
