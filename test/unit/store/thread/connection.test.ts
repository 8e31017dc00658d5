import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Connection } from '../../../../src/store/thread/connection';

describe('a connection between two threads', () => {
  let ports: readonly MessagePort[];
  let sent: unknown[];
  let near: Connection;
  const called: unknown[] = [];

  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    ports = [port1, port2];
    sent = [];
    called.length = 0;
    const counted = {
      postMessage: (message: unknown) => {
        port1.postMessage(message);
        sent.push(message);
      },
      on: port1.on.bind(port1) as MessagePort['on'],
    };
    near = new Connection(counted, {});
    new Connection(port2, {
      far: {
        echo: async (value: unknown) => value,
        note: (value: unknown) => called.push(value),
        leak: async () => () => undefined,
        notes: async () => [...called],
      },
    });
  });

  afterEach(() => {
    for (const port of ports) port.close();
  });

  it('sends the calls of one turn of the event loop in one message, in their order', async () => {
    near.notify('far', 'note', [1]);
    const calls = [near.call('far', 'echo', ['a']), near.call('far', 'notes', []), near.call('far', 'echo', ['b'])];
    near.notify('far', 'note', [2]);
    expect(await Promise.all(calls)).toEqual(['a', [1], 'b']);
    expect(await near.call('far', 'notes', [])).toEqual([1, 2]);
    expect(sent).toHaveLength(2);
  });

  it('rejects only the call whose arguments are not plain data', async () => {
    const calls = [
      near.call('far', 'echo', ['a']),
      near.call('far', 'echo', [() => 1]),
      near.call('far', 'echo', ['b']),
    ];
    expect(await Promise.allSettled(calls)).toMatchObject([
      { value: 'a' },
      { reason: { message: expect.stringContaining('could not be cloned') } },
      { value: 'b' },
    ]);
  });

  it('rejects only the call whose result is not plain data', async () => {
    const calls = [near.call('far', 'echo', ['a']), near.call('far', 'leak', []), near.call('far', 'echo', ['b'])];
    expect(await Promise.allSettled(calls)).toMatchObject([{ value: 'a' }, { status: 'rejected' }, { value: 'b' }]);
  });
});
