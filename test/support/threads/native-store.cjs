// A store thread whose only method, getCalendarNames, runs a call into SQLite that takes half a second and then fails. Loads build/.
const { serveStore } = require('../../../build/store/thread/store-thread.js');
const { loadSqlite } = require('../../../build/store/sql/sqlite/sqlite-module.js');
const { openSqlite } = require('../../../build/store/sql/sqlite/open-sqlite.js');

const LENGTH = 3_000_000;
const OVERFLOW = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LENGTH})
  SELECT abs(-9223372036854775807 - i / ${LENGTH}) AS too_large FROM n WHERE i = ${LENGTH}`;

serveStore(async (scheduler) => ({
  store: {
    description: {},
    open: async () => {},
    close: async () => {},
    getCalendarNames: async () => {
      const statement = openSqlite(loadSqlite(), ':memory:').prepare(OVERFLOW);
      await scheduler.call('main', 'begins', []); // the call begins in the turn that receives the answer
      return statement.all();
    },
  },
}));
