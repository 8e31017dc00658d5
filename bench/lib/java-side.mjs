import { LineNode } from './line-node.mjs';
import { MysqlTables } from './mysql-tables.mjs';
import { HIDE_TEMPLATE } from './rows.mjs';

/** Shorter keys than utf8mb4, so the faster choice for the real Quartz; MariaDB's own default until version 11. */
const CHARSET = 'latin1';

/** The real Quartz, in new tables with all the indexes that its jar describes. */
export async function javaSide(server, java, name) {
  const tables = await javaTables(server, `java${name}`, java, CHARSET);
  await new LineNode('java', java('template', connection(tables.url))).exit();
  await tables.query(HIDE_TEMPLATE);
  return {
    name: 'java',
    label: 'Quartz 2.3.2 (Java)',
    tables,
    node: (mode, values) => new LineNode('java', java(mode, { ...connection(tables.url), ...values })),
  };
}

/** A database with the tables that Quartz's jar describes, empty. */
export async function javaTables(server, name, java, charset) {
  const tables = await MysqlTables.create(server, name, charset);
  await new LineNode('java', java('tables', connection(tables.url))).exit();
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
