/** Ends the database servers, and removes their data and the temporary files. */
module.exports = async function tearDown() {
  const stop = globalThis.stopTestDatabases;
  globalThis.stopTestDatabases = undefined;
  await stop?.();
};
