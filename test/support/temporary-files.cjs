const { execFileSync } = require('node:child_process');
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Creates a folder, and sets `tmpdir()` of this process and its child processes to it, if programs may run there. A folder in memory avoids disk
 * access for each commit of a SQLite file and for thousands of unpacked files.
 */
exports.moveTemporaryFiles = (folder) => {
  mkdirSync(folder);
  if (canRunPrograms(folder)) process.env.TMPDIR = folder;
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
