const { existsSync, readFileSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Ends the run with human- and machine-readable lines: the database servers, and the numbers of passed, failed and skipped tests. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const { descriptions, leftOut } = serversOfRun();
    const counts = [
      `${results.numPassedTests} passed`,
      `${failed} failed`,
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ];
    const lines = [
      ...descriptions.map((each) => `SQL tests ran on ${each}`),
      [counts.join(', '), ...leftOut].join('; '),
    ];
    // Jest prints its own summary after every other reporter.
    process.once('exit', () => writeSync(2, `\n${lines.join('\n')}\n`));
  }
};

function serversOfRun() {
  const socket = process.env.QUARTZ_TEST_SUPERVISOR;
  const file = socket === undefined ? null : join(dirname(socket), 'servers.json');
  if (file === null || !existsSync(file)) return { descriptions: [], leftOut: [] };
  return JSON.parse(readFileSync(file, 'utf8'));
}
