const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * What takes longest, longest first: begun last, one of them would keep a single worker busy while the others have nothing
 * left to do. Jest itself goes by file size until it has seen a run, and on a fresh clone it has not.
 */
const LONGEST = [
  'test/operations/loop-blocking.test.ts',
  'test/package/package.test.ts',
  'test/cli/demo.test.ts',
  'test/property/fire-times.test.ts',
  'test/cluster/defects/broken-transactions.test.ts',
  'test/cluster/defects/refused-rows.test.ts',
  'test/cluster/defects/locked-rows.test.ts',
  'test/conformance/mysql.test.ts',
  'test/conformance/mysql-snapshots.test.ts',
  'test/conformance/mysql-java-tables.test.ts',
  'test/conformance/schedulers.test.ts',
  'test/cluster/defects/unknown-commits.test.ts',
  'test/conformance/sqlite.test.ts',
  'test/docs/guides.test.ts',
  'test/sql/schema.test.ts',
  'test/sql/examination.test.ts',
  'test/sql/mysql-driver.test.ts',
  'test/sql/mysql-transactions.test.ts',
  'test/sql/every-statement.test.ts',
  'test/bench/drain.test.ts',
  'test/property/store.test.ts',
  'test/conformance/memory-in-thread.test.ts',
  'test/cli/run.test.ts',
  // Beside the chaos, which takes as long as they all, what no clock is held against.
  'test/cluster/chaos.test.ts',
  'test/cluster/scheduler-on-sql.test.ts',
  'test/cluster/hang.test.ts',
  'test/cluster/thread-death.test.ts',
  'test/cluster/refused-row.test.ts',
  'test/cluster/pause.test.ts',
  'test/cluster/busy-loop.test.ts',
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
