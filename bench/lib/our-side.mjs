import { fileURLToPath } from 'node:url';
import { newJob, newTrigger } from '../../dist/index.mjs';
import { LineNode } from './line-node.mjs';
import { MysqlTables } from './mysql-tables.mjs';
import { ourScheduler } from './our-scheduler.mjs';
import { HIDE_TEMPLATE, TEMPLATE } from './rows.mjs';
import { argumentsOf, settings } from './settings.mjs';
import { SqliteTables } from './sqlite-tables.mjs';

const NODE = fileURLToPath(new URL('../sql-node.mjs', import.meta.url));

/** Ours, in tables of its own. `server` is null for a SQLite file; `extra`: keys of the configuration and Node's arguments. */
export async function ourSide(server, extra = {}) {
  const tables =
    server === null ? new SqliteTables() : await MysqlTables.create(server, `quartz_bench_ours_${process.pid}`);
  await storeTemplate(tables);
  return {
    name: 'ours',
    label: 'quartz-ts',
    tables,
    node: (mode, values) =>
      new LineNode(process.execPath, [
        ...(extra.nodeArguments ?? []),
        NODE,
        mode,
        ...argumentsOf({ ...tables.settings, ...values, ...extra.settings }),
      ]),
  };
}

/** Makes the tables, and stores the job and the trigger that are multiplied later. */
async function storeTemplate(tables) {
  const values = settings(argumentsOf({ ...tables.settings, id: 'loader', 'set.jobStore.schema': 'create' }));
  const scheduler = await ourScheduler(values, { noop: async () => {} });
  const inAnHour = new Date(Date.now() + 3_600_000);
  await scheduler.scheduleJob(
    newJob('noop').withIdentity(TEMPLATE, TEMPLATE).storeDurably().build(),
    newTrigger().withIdentity(TEMPLATE, TEMPLATE).startAt(inAnHour).build(),
  );
  await scheduler.shutdown();
  await tables.query(HIDE_TEMPLATE);
}
