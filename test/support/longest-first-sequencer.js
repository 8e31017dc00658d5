const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The slowest test files, slowest first: if one of them began last, a single worker would run it while the others are idle. Jest sorts by file size
 * until it knows the durations of a previous run, which a fresh clone does not have.
 */
const LONGEST = [
  // Without a database, because a fresh clone fetches the servers first.
  'test/operations/loop-blocking.test.ts',
  'test/package/package.test.ts',
  'test/operations/faces.test.ts',
  'test/types/mistakes.test.ts',
  // With a database.
  'test/conformance/trains.test.ts',
  'test/deploy/deploy.test.ts',
  'test/cli/demo.test.ts',
  'test/conformance/schedulers.test.ts',
  'test/browser/truth.test.ts',
  'test/sql/mysql-driver.test.ts',
  'test/sql/schema.test.ts',
  'test/browser/cluster.test.ts',
  'test/conformance/sqlite.test.ts',
  'test/sql/mysql-transactions.test.ts',
  'test/cluster/defects/refused-rows.test.ts',
  'test/browser/looks.test.ts',
  'test/conformance/survival.test.ts',
  'test/conformance/mysql-java-tables.test.ts',
  'test/cluster/defects/broken-transactions.test.ts',
  'test/sql/examination.test.ts',
  'test/cluster/defects/locked-rows.test.ts',
  'test/architecture/architecture.test.ts',
  'test/cli/watching.test.ts',
  'test/sql/mysql-server-faults.test.ts',
  'test/console/contract.test.ts',
  'test/sql/every-statement.test.ts',
  'test/browser/steering.test.ts',
  'test/bench/console.test.ts',
  'test/browser/outage.test.ts',
  'test/cluster/defects/unknown-commits.test.ts',
  'test/cli/run.test.ts',
  'test/sql/long-pauses.test.ts',
  'test/sql/late-commits.test.ts',
  'test/sql/statements-per-firing.test.ts',
  'test/browser/work.test.ts',
  'test/bench/drain.test.ts',
  'test/docs/readme-commands.test.ts',
  'test/browser/schedule.test.ts',
  'test/bench/retention.test.ts',
  'test/security/hostile-requests.test.ts',
  'test/sql/session-variables.test.ts',
  'test/sql/recovery-races.test.ts',
  'test/sql/pause-portions.test.ts',
  'test/property/store.test.ts',
  'test/property/rates.test.ts',
  'test/cli/started-by-npm.test.ts',
  'test/conformance/mysql-snapshots.test.ts',
  'test/conformance/memory-in-thread.test.ts',
  'test/operations/strange-rows.test.ts',
  'test/property/fire-times.test.ts',
  'test/docs/guides.test.ts',
  // In parallel with the chaos test, which is the slowest of the cluster tests.
  'test/cluster/chaos.test.ts',
  'test/cluster/scheduler-on-sql.test.ts',
  'test/cluster/black-hole.test.ts',
  'test/cluster/hang.test.ts',
  'test/cluster/checkpoints.test.ts',
  'test/cluster/pause.test.ts',
  'test/cluster/held-firings.test.ts',
  'test/cluster/with-connection.test.ts',
  'test/cluster/deletions.test.ts',
  'test/cluster/busy-loop.test.ts',
  'test/cluster/stalls.test.ts',
  'test/cluster/shards.test.ts',
  'test/cluster/thread-death.test.ts',
  'test/cluster/rates.test.ts',
  'test/cluster/explained-pauses.test.ts',
  'test/cluster/job-transaction.test.ts',
  'test/cluster/placement.test.ts',
  'test/cluster/refused-row.test.ts',
];

module.exports = class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((file) => path.endsWith(file));
      return index === -1 ? LONGEST.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
