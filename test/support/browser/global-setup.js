const startDatabases = require('../database/global-setup');

/** Once per run of Jest, where a test needs a browser: looked for, and fetched if need be, before several of them ask for it. */
module.exports = async function setUp() {
  await startDatabases();
  const { locateChromium } = await import('./locate-chromium.mjs');
  process.env.QUARTZ_TEST_CHROMIUM = JSON.stringify(locateChromium());
};
