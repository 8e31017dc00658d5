// Creates the tables of a database as a node does, and stops before one of the statements, until it is killed.
// fork(this, [url, number of statements]); it sends a message when it has stopped.
const { SystemClock } = require('../../../build/base/clock');
const { systemRandom } = require('../../../build/base/ids');
const { openSchemaConnection } = require('../../../build/store/sql/open-database');
const { prepareSchema } = require('../../../build/store/sql/schema/migrate');

const [url, many] = process.argv.slice(2);
const tablePrefix = 'QRTZ_';

async function main() {
  const dataSource = { name: 'test', url, user: null, password: null, maxConnections: 1 };
  const options = {
    dataSource,
    tablePrefix,
    clock: new SystemClock(),
    random: systemRandom,
    onWarning: () => undefined,
  };
  const connection = await openSchemaConnection(options);
  const define = connection.define.bind(connection);
  let left = Number(many);
  connection.define = (text) => {
    if (left-- > 0) return define(text);
    process.send('stopped');
    return new Promise(() => undefined);
  };
  await prepareSchema(connection, { mode: 'create' });
}

void main();
