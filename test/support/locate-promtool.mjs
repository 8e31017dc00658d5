import { join } from 'node:path';
import { findIn, foldersIn, foldersOfPath } from './find-program.mjs';
import { unpackDebian, unpackedFolder } from './unpack-debian.mjs';

/** Without dependencies: only the pages of the server need scripts and fonts. */
const PROMETHEUS = { folder: 'prometheus', name: 'prometheus', packages: ['prometheus'], isAlone: true };

/** Prometheus' promtool: in PATH, unpacked by an earlier run, or from the distribution, without an installation. */
function locatePromtool() {
  const found = findIn(foldersOfPath(), 'promtool') ?? unpackedPromtool();
  if (found !== null) return found;
  unpackDebian(PROMETHEUS);
  const fetched = unpackedPromtool();
  if (fetched !== null) return fetched;
  throw new Error('Expected promtool on PATH; it comes with Prometheus.');
}

function unpackedPromtool() {
  const folders = foldersIn(unpackedFolder(PROMETHEUS)).filter((folder) => !folder.includes('.download-'));
  return findIn(
    folders.map((folder) => join(folder, 'usr/bin')),
    'promtool',
  );
}

process.stdout.write(locatePromtool());
