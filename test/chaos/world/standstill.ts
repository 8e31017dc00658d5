import { Worker } from 'node:worker_threads';

const INTERVAL = 20;

/** Counts how late its own timer is; nothing else runs in its thread. */
const WATCH = `
  const { workerData: longest } = require('node:worker_threads');
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    const late = Math.round(now - last) - ${INTERVAL};
    if (late > Atomics.load(longest, 0)) Atomics.store(longest, 0, late);
    last = now;
  }, ${INTERVAL});
`;

/**
 * For how many milliseconds at most a thread that has nothing else to do got no processor: a virtual machine that its host does
 * not let run stands still as a whole, and everything on it is late.
 */
export function measureStandstill(): () => number {
  const longest = new Int32Array(new SharedArrayBuffer(4));
  const watch = new Worker(WATCH, { eval: true, workerData: longest });
  watch.unref();
  return () => {
    void watch.terminate();
    return Atomics.load(longest, 0);
  };
}
