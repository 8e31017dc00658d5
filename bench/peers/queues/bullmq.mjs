import { importFrom } from './packages.mjs';

export async function open(settings, began) {
  const { Queue, Worker } = await importFrom(settings.text('packages'), 'bullmq');
  const { hostname: host, port, password } = new URL(settings.text('url'));
  const connection = { host, port: Number(port || 6_379), ...(password && { password }) };
  const queue = new Queue('peers', { connection, defaultJobOptions: { removeOnComplete: true } });
  let worker;
  return {
    one: (at) => queue.add('noop', { at }),
    bulk: (length) => queue.addBulk(Array.from({ length }, () => ({ name: 'noop', data: {} }))),
    async work() {
      const options = { connection: { ...connection, maxRetriesPerRequest: null }, concurrency: 100 };
      worker = new Worker('peers', async ({ data }) => began(data.at), options);
      await worker.waitUntilReady();
    },
    async close() {
      await worker?.close();
      await queue.close();
    },
    clear: () => queue.obliterate({ force: true }),
  };
}
