const { accessSync, constants, mkdtempSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const MEMORY = '/dev/shm';
/** Bytes. */
const ENOUGH = 2 ** 31;

/**
 * A new folder for the files of a database, in memory where the system has room for it: a disk that is slow for a second or
 * two takes their leases from nodes. What power failures do is not tested, what `kill -9` does is.
 */
exports.memoryFolder = (prefix) => mkdtempSync(join(hasCapacity() ? MEMORY : tmpdir(), prefix));

function hasCapacity() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
}
