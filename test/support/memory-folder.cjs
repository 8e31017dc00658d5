const { accessSync, constants, mkdtempSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const MEMORY = '/dev/shm';
/** Required free space. Bytes. */
const ENOUGH = 2 ** 31;

/**
 * Creates a folder for the files of a database, in memory if there is enough space: nodes lose their leases if a disk is slow for a second or two.
 * Tests use `kill -9`, but no power failures.
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
