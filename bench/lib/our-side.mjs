import { newJob, newTrigger } from '../../dist/index.mjs';
import { javaTables } from './java-side.mjs';
import { MemoryTables } from './memory-tables.mjs';
import { MysqlTables } from './mysql-tables.mjs';
import { ourNode } from './our-node.mjs';
import { ourScheduler } from './our-scheduler.mjs';
import { HIDE_TEMPLATE, TEMPLATE } from './rows.mjs';
import { argumentsOf, settings } from './settings.mjs';
import { SqliteTables } from './sqlite-tables.mjs';

/** Every start would warn that such tables take two names that differ in case for one. */
const QUIET = { log: 'error' };

/**
 * Ours, in new tables: our own, or with `tables: 'java'` those that Quartz's jar describes. `settings` are keys of the
 * configuration, `nodeArguments` are Node's.
 */
export async function ourSide(server, { store, name, tables: kind, java, settings: keys, nodeArguments }) {
  const tables = kind === 'java' ? await tablesOfJava(server, name, java) : await ourTables(server, store, name);
  const log = kind === 'java' ? QUIET : {};
  return {
    name: 'ours',
    label: kind === 'java' ? 'quartz-ts, tables of Java' : 'quartz-ts',
    tables,
    node: (mode, values) => ourNode(mode, { ...tables.settings, ...log, ...values, ...keys }, nodeArguments),
  };
}

/** New tables as we make them, with the job and the trigger that are multiplied later. */
export async function ourTables(server, store, name) {
  if (store === 'memory') return new MemoryTables();
  const tables = store === 'sqlite' ? new SqliteTables() : await MysqlTables.create(server, `ours${name}`);
  await storeTemplate(tables, 'create');
  return tables;
}

/** With all 18 indexes; ours only adds its two tables. */
async function tablesOfJava(server, name, java) {
  if (java === null) throw new Error("--tables java needs --store mysql and the real Quartz's jar.");
  const tables = await javaTables(server, `ours${name}`, java, 'utf8mb4');
  await storeTemplate(tables, 'migrate', QUIET);
  return tables;
}

/** `schema`: what may be done to the tables, as in the configuration. */
async function storeTemplate(tables, schema, log = {}) {
  const values = settings(argumentsOf({ ...tables.settings, ...log, id: 'loader', 'set.jobStore.schema': schema }));
  const scheduler = await ourScheduler(values, { noop: async () => {} });
  const inAnHour = new Date(Date.now() + 3_600_000);
  await scheduler.scheduleJob(
    newJob('noop').withIdentity(TEMPLATE, TEMPLATE).storeDurably().build(),
    newTrigger().withIdentity(TEMPLATE, TEMPLATE).startAt(inAnHour).build(),
  );
  await scheduler.shutdown();
  await tables.query(HIDE_TEMPLATE);
}
