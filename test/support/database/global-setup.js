const { moveTemporaryFiles } = require('../temporary-files.cjs');

/**
 * Once per run of Jest, whichever of its projects run: the folder of temporary files is made, and the database servers are shared by its workers,
 * and started by the first test that asks.
 */
module.exports = async function setUp() {
  if (globalThis.stopTestDatabases !== undefined) return;
  const removeTemporaryFiles = moveTemporaryFiles();
  const { startSupervisor } = await import('./start-supervisor.mjs');
  const { socket, stop } = startSupervisor();
  process.env.QUARTZ_TEST_SUPERVISOR = socket;
  globalThis.stopTestDatabases = async () => {
    await stop();
    removeTemporaryFiles();
  };
};
