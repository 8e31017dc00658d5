const { dirname, join } = require('node:path');
const { moveTemporaryFiles } = require('../temporary-files.cjs');

/**
 * Runs once per run of Jest, for all projects. The workers share the database servers, and the first test that needs a server starts it. Temporary
 * files are next to the data of the servers, and are removed with it, however the run ends.
 */
module.exports = async function setUp() {
  if (globalThis.stopTestDatabases !== undefined) return;
  const { startSupervisor } = await import('./start-supervisor.mjs');
  const { socket, stop } = startSupervisor();
  moveTemporaryFiles(join(dirname(socket), 'tmp'));
  process.env.QUARTZ_TEST_SUPERVISOR = socket;
  globalThis.stopTestDatabases = stop;
};
