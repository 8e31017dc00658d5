import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Operations of a store that a deletion of recorded runs calls. */
const TIMED = ['pruneRuns', 'findRunEnd', 'listRuns'];

/**
 * Schedulers of this process look for runs to delete as soon as they start, not some time in the first minute, and each of their transactions
 * is noted in `pieces`: what it was, how long it took, and how many rows it deleted.
 */
export function timedRetention() {
  // Of the modules as tsc writes them: in dist/ they are one file, in which a class cannot be replaced.
  const retention = require('../../build/scheduler/run-retention.js');
  const pieces = [];
  const { RunRetentionWatch } = retention;
  retention.RunRetentionWatch = class extends RunRetentionWatch {
    constructor(parts) {
      super({ ...parts, random: { token: () => '0000' }, store: timed(parts.store, pieces) });
    }
  };
  return { pieces, createScheduler: require('../../build/index.js').createScheduler };
}

function timed(store, pieces) {
  const wrapped = (name) => async (argument) => {
    const begun = performance.now();
    const answer = await store[name](argument);
    pieces.push({ name, at: Date.now(), ms: performance.now() - begun, rows: name === 'pruneRuns' ? answer : 0 });
    return answer;
  };
  const all = Object.fromEntries(TIMED.map((name) => [name, wrapped(name)]));
  const { pruneActions, pruneCheckpoints } = store;
  return { ...all, pruneActions: pruneActions.bind(store), pruneCheckpoints: pruneCheckpoints.bind(store) };
}
