const { execFileSync } = require('node:child_process');
const { rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { memoryFolder } = require('./memory-folder.cjs');

/**
 * Lets `tmpdir()` of this process and of those that it starts be a new folder, in memory where the system has room for it and lets programs run
 * there: each commit of a SQLite file waits for its disk, and packages are unpacked by the thousand files. Returns what removes the folder.
 */
exports.moveTemporaryFiles = () => {
  const folder = memoryFolder('qt-'); // short: sockets lie in it, whose paths have 108 characters
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (canRunPrograms(folder)) process.env.TMPDIR = folder;
  else remove();
  return remove;
};

function canRunPrograms(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  try {
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(program);
  }
}
