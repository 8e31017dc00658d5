import { importFrom } from './packages.mjs';

export async function open(settings, began) {
  const packages = settings.text('packages');
  const { Logger, makeWorkerUtils, run } = await importFrom(packages, 'graphile-worker');
  const { Pool } = await importFrom(packages, 'pg');
  const pgPool = new Pool({ connectionString: settings.text('url'), max: 20 });
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  let runner;
  return {
    one: (at) => utils.addJob('noop', { at }),
    bulk: (length) => utils.addJobs(Array.from({ length }, () => ({ identifier: 'noop', payload: {} }))),
    async work() {
      const preset = { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } };
      const noop = async ({ at }) => began(at);
      runner = await run({ pgPool, concurrency: 100, logger, noHandleSignals: true, taskList: { noop }, preset });
    },
    async close() {
      await runner?.stop();
      await utils.release();
      await pgPool.end();
    },
    clear: () => pgPool.query('TRUNCATE graphile_worker._private_jobs'),
  };
}
