const { default: Runner } = require('jest-runner');

/** The short forms judge what a machine with several clusters on it can keep; the long forms measure, and have it for themselves. */
const IS_ALONE = Number(process.env.CHAOS_SECONDS ?? 0) > 0;

/** Runs its files when those of other runners are done: four at a time, as most of the time they wait. */
module.exports = class ClusterRunner extends Runner {
  isSerial = IS_ALONE;

  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: Math.min(4, globalConfig.maxWorkers) }, context);
  }
};
