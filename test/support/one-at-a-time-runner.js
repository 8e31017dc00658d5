const { default: Runner } = require('jest-runner');

/** Runs its files one after the other, when those of other runners are done. */
module.exports = class OneAtATimeRunner extends Runner {
  isSerial = true;
};
