import { buildJava } from './java.mjs';
import { LineNode } from './line-node.mjs';
import { MysqlTables } from './mysql-tables.mjs';
import { HIDE_TEMPLATE } from './rows.mjs';

/** Where nobody says otherwise, MariaDB has always made tables in it: shorter keys, so the faster choice for the real Quartz. */
const CHARSET = 'latin1';

/** The real Quartz, in Quartz's own tables with all their indexes. */
export async function javaSide(server) {
  const java = buildJava();
  const tables = await javaTables(server, 'java', java);
  return {
    name: 'java',
    label: 'Quartz 2.3.2 (Java)',
    tables,
    node: (mode, values) => new LineNode('java', java(mode, { ...connection(tables.url), ...values })),
  };
}

/** A database with the tables that Quartz's jar describes; with the template of the real Quartz, unless `onlyTables`. */
export async function javaTables(server, name, java, onlyTables) {
  const tables = await MysqlTables.create(server, `quartz_bench_${name}_${process.pid}`, CHARSET);
  await new LineNode('java', java('template', { ...connection(tables.url), onlyTables })).exit();
  if (!onlyTables) await tables.query(HIDE_TEMPLATE);
  return tables;
}

function connection(url) {
  const { host, pathname, username, password } = new URL(url);
  return {
    jdbc: `jdbc:mariadb://${host}${pathname}`,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}
