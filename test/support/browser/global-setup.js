const startDatabases = require('../database/global-setup');

/** Locates the browser once per run of Jest, or fetches it, before several tests need it. */
module.exports = async function setUp() {
  await startDatabases();
  const { locateChromium } = await import('./locate-chromium.mjs');
  process.env.QUARTZ_TEST_CHROMIUM = JSON.stringify(locateChromium());
};
