const { dirname, join } = require('node:path');
const { moveTemporaryFiles } = require('../temporary-files.cjs');

/**
 * Once per run of Jest, whichever of its projects run: the database servers are shared by its workers, and started by the first test that asks.
 * Temporary files are beside their data, and removed with them, however the run ends.
 */
module.exports = async function setUp() {
  if (globalThis.stopTestDatabases !== undefined) return;
  const { startSupervisor } = await import('./start-supervisor.mjs');
  const { socket, stop } = startSupervisor();
  moveTemporaryFiles(join(dirname(socket), 'tmp'));
  process.env.QUARTZ_TEST_SUPERVISOR = socket;
  globalThis.stopTestDatabases = stop;
};
