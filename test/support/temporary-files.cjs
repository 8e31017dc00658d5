const { execFileSync } = require('node:child_process');
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Makes a folder, and lets `tmpdir()` of this process and of those that it starts be that one, if programs may run there. In memory, it spares them the
 * disk: each commit of a SQLite file waits for it, and packages are unpacked by the thousand files.
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
