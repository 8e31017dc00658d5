/** Once per run of Jest, whichever of its projects run: the database servers are shared by its workers, and started by the first test that asks. */
module.exports = async function setUp() {
  if (globalThis.stopTestDatabases !== undefined) return;
  const { startSupervisor } = await import('./start-supervisor.mjs');
  const { socket, stop } = startSupervisor();
  process.env.QUARTZ_TEST_SUPERVISOR = socket;
  globalThis.stopTestDatabases = stop;
};
