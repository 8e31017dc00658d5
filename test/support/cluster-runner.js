const { default: Runner } = require('jest-runner');

/** The short forms run several clusters at once, with wide limits. The long forms measure, so each runs alone on the machine. */
const IS_ALONE = Number(process.env.CHAOS_SECONDS ?? 0) > 0;

/** Runs its files after those of other runners, four at a time, because they mostly wait. */
module.exports = class ClusterRunner extends Runner {
  isSerial = IS_ALONE;

  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: Math.min(4, globalConfig.maxWorkers) }, context);
  }
};
