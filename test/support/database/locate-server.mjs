import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findIn, foldersIn, foldersOfPath, isExecutable, libraryFolders } from '../find-program.mjs';
import { unpackDebian, unpackedFolder } from '../unpack-debian.mjs';

/**
 * A database server that can be started.
 * @typedef {object} ServerProgram
 * @property {'mariadb' | 'mysql'} flavour
 * @property {string} version
 * @property {string} program path of mariadbd or mysqld
 * @property {string | null} installProgram path of mariadb-install-db
 * @property {readonly string[]} options that it needs because of where it lies
 * @property {NodeJS.ProcessEnv} environment
 */

const FOLDERS = [
  '/usr/sbin',
  '/usr/bin',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/mysql/bin',
  '/usr/local/mariadb/bin',
  '/opt/homebrew/opt/mariadb/bin',
  '/opt/homebrew/opt/mysql/bin',
];

/** The client holds `my_print_defaults`, which the script that makes the data calls; it is only recommended by the server. */
const MARIADB = { folder: 'servers', name: 'mariadb', packages: ['mariadb-server-core', 'mariadb-client-core'] };

/**
 * The first server found: on PATH and in the usual folders, unpacked by an earlier run, or from the distribution's
 * packages, unpacked into the cache without installing anything. Null when there is none.
 * @returns {ServerProgram | null}
 */
export function locateServer() {
  return installedServer() ?? unpackedServer() ?? (unpackDebian(MARIADB) ? unpackedServer() : null);
}

function installedServer() {
  const folders = [...foldersOfPath(), ...FOLDERS];
  for (const name of ['mariadbd', 'mysqld']) {
    const program = findIn(folders, name);
    if (program !== null) return describe(program, findIn(folders, 'mariadb-install-db'), [], process.env);
  }
  return null;
}

function unpackedServer() {
  for (const root of foldersIn(unpackedFolder(MARIADB))) {
    const program = join(root, 'usr/sbin/mariadbd');
    if (!isExecutable(program)) continue;
    const options = [
      `--basedir=${join(root, 'usr')}`,
      `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
      `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
    ];
    const environment = { ...process.env, LD_LIBRARY_PATH: libraryFolders(root).join(':') };
    return describe(program, join(root, 'usr/bin/mariadb-install-db'), options, environment);
  }
  return null;
}

/** @returns {ServerProgram} */
function describe(program, installProgram, options, environment) {
  const answer = execFileSync(program, ['--no-defaults', '--version'], { env: environment, encoding: 'utf8' });
  const flavour = /mariadb/i.test(answer) ? 'mariadb' : 'mysql';
  const version = /Ver ([\d.]+)/.exec(answer)?.[1] ?? 'unknown';
  return { flavour, version, program, installProgram, options, environment };
}
