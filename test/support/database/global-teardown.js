/** Ends the database servers and removes their data. */
module.exports = async function tearDown() {
  const stop = globalThis.stopTestDatabases;
  globalThis.stopTestDatabases = undefined;
  await stop?.();
};
