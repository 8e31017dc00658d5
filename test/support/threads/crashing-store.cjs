// The store's thread as it is, which dies of an error when it is asked for the calendar `crash`. Loads dist/.
const { parentPort } = require('node:worker_threads');
require('../../../dist/scheduler/node/store-thread-entry.js');

parentPort.on('message', ({ method, args }) => {
  if (method === 'getCalendar' && args[0] === 'crash') throw new Error('a mistake in the store');
});
