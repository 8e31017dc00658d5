/** Once per run of Jest: the database servers are shared by its workers, and started by the first test that asks. */
module.exports = async function setUp() {
  const { startSupervisor } = await import('./start-supervisor.mjs');
  const { socket, stop } = startSupervisor();
  process.env.QUARTZ_TEST_SUPERVISOR = socket;
  globalThis.stopTestDatabases = stop;
};
