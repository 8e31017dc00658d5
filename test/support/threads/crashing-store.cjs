// The store's thread as it is, which dies of an error when it is asked for the calendar `crash`. Loads build/.
const { parentPort } = require('node:worker_threads');
require('../../../build/scheduler/node/store-thread-entry.js');

parentPort.on('message', (messages) => {
  const isAskedToCrash = ({ method, args }) => method === 'getCalendar' && args[0] === 'crash';
  if (messages.some(isAskedToCrash)) throw new Error('a mistake in the store');
});
