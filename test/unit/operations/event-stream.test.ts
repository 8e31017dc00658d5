import { readEventStream } from '../../../src/operations/client';

it('readEventStream ends and cancels the stream when its signal aborts', async () => {
  const stopping = new AbortController();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('id: 7\ndata: {"a":1}\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  const messages: unknown[] = [];
  for await (const message of readEventStream(body, stopping.signal)) {
    messages.push(message);
    setImmediate(() => stopping.abort());
  }
  expect(messages).toEqual([{ name: 'message', id: '7', data: { a: 1 } }]);
  expect(isCancelled).toBe(true);
});
