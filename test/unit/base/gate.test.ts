import { Gate } from '../../../src/base/gate';

const never = new AbortController().signal;

describe('a gate', () => {
  it('is closed at first, and resolves all waits when it opens', async () => {
    const gate = new Gate();
    const passed: string[] = [];
    const waits = ['a', 'b'].map((name) => gate.whenOpen(never).then(() => passed.push(name)));
    await Promise.resolve();
    expect([gate.isOpen, passed]).toEqual([false, []]);
    gate.open();
    await Promise.all(waits);
    expect([gate.isOpen, passed]).toEqual([true, ['a', 'b']]);
    await gate.whenOpen(never);
  });

  it('makes callers wait again after it was closed', async () => {
    const gate = new Gate();
    gate.open();
    gate.close();
    let hasPassed = false;
    const wait = gate.whenOpen(never).then(() => {
      hasPassed = true;
    });
    await Promise.resolve();
    expect(hasPassed).toBe(false);
    gate.open();
    await wait;
  });

  it('ends a wait that is aborted', async () => {
    const gate = new Gate();
    const controller = new AbortController();
    const wait = gate.whenOpen(controller.signal);
    controller.abort();
    await wait;
    await gate.whenOpen(controller.signal);
    expect(gate.isOpen).toBe(false);
  });
});
