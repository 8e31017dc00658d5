/** Ends the database servers and removes their data. */
module.exports = async function tearDown() {
  await globalThis.stopTestDatabases?.();
};
