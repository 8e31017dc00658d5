import { printable, withPrintableTexts } from '../../../src/base/printable';

describe('texts from rows', () => {
  it('cannot move the cursor, colour the terminal or start a new line', () => {
    expect(printable('a\u001b[31mb\nc\u0085d\u009b2Je\u2028f')).toBe('a\ufffd[31mb\ufffdc\ufffdd\ufffd2Je\ufffdf');
  });

  it('are cleaned everywhere in a copy of an event', () => {
    const error = new RangeError('bad\u0007 row\nsecond line');
    const event = { type: 'nodeJoined', instanceId: 'evil\u001b]0;x\u0007', at: 5, keys: [{ name: 'a\nb' }], error };
    const shown = withPrintableTexts(event);
    expect(shown).toMatchObject({ instanceId: 'evil\ufffd]0;x\ufffd', at: 5, keys: [{ name: 'a\ufffdb' }] });
    expect(shown.error).toBeInstanceOf(RangeError);
    expect(shown.error.message).toBe('bad\ufffd row\nsecond line');
    expect([event.instanceId, error.message]).toEqual(['evil\u001b]0;x\u0007', 'bad\u0007 row\nsecond line']);
  });
});
