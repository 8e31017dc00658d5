import { createInterface } from 'node:readline';

/** Lines of whoever started this process: each call waits for the next one. */
export function standardInput() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return () => lines.next();
}
