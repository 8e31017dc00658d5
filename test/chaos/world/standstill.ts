import { Worker } from 'node:worker_threads';

const INTERVAL = 20;

/** Measures the delay of its timer; its thread does nothing else. */
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
 * Longest time in milliseconds for which an idle thread got no processor. A virtual machine whose host is busy pauses completely, so that
 * everything on it is late.
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
