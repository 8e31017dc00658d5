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
  const tables = await ourTables(server, 'ours');
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

/** New tables as we make them, with the job and the trigger that are multiplied later. */
export async function ourTables(server, name) {
  const tables =
    server === null ? new SqliteTables() : await MysqlTables.create(server, `quartz_bench_${name}_${process.pid}`);
  await storeTemplate(tables, 'create');
  return tables;
}

/** `schema`: what may be done to the tables, as in the configuration. */
async function storeTemplate(tables, schema) {
  const values = settings(argumentsOf({ ...tables.settings, id: 'loader', 'set.jobStore.schema': schema }));
  const scheduler = await ourScheduler(values, { noop: async () => {} });
  const inAnHour = new Date(Date.now() + 3_600_000);
  await scheduler.scheduleJob(
    newJob('noop').withIdentity(TEMPLATE, TEMPLATE).storeDurably().build(),
    newTrigger().withIdentity(TEMPLATE, TEMPLATE).startAt(inAnHour).build(),
  );
  await scheduler.shutdown();
  await tables.query(HIDE_TEMPLATE);
}
