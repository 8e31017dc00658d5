// The real store thread, which crashes when the calendar `crash` is requested. Loads build/.
const { parentPort } = require('node:worker_threads');
require('../../../build/scheduler/node/store-thread-entry.js');

parentPort.on('message', (messages) => {
  const isAskedToCrash = ({ method, args }) => method === 'getCalendar' && args[0] === 'crash';
  if (messages.some(isAskedToCrash)) throw new Error('a mistake in the store');
});
