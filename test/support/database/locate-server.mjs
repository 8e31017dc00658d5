import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findIn, foldersIn, foldersOfPath, isExecutable, libraryFolders } from '../find-program.mjs';
import { unpackDebian, unpackedFolder } from '../unpack-debian.mjs';

/**
 * A database server that can be started.
 * @typedef {object} ServerProgram
 * @property {Flavour} flavour
 * @property {string} version
 * @property {string} program path of mariadbd or mysqld
 * @property {readonly string[]} command that starts it: the program, or its own dynamic linker and the program
 * @property {string | null} installProgram path of mariadb-install-db
 * @property {readonly string[]} options that it needs because of where it lies
 * @property {NodeJS.ProcessEnv} environment
 */

/** @typedef {'mariadb' | 'mysql'} Flavour */

/** Flavours by the names of their programs. */
const PROGRAMS = { mariadb: ['mariadbd', 'mysqld'], mysql: ['mysqld'] };

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

/** The client package contains `my_print_defaults`, which the install script of the data calls. */
const MARIADB = { folder: 'servers', name: 'mariadb', packages: ['mariadb-server-core', 'mariadb-client-core'] };

/** Debian has MySQL in its unstable suite only, Ubuntu in each release. */
const MYSQL = [
  { folder: 'servers', name: 'mysql', packages: ['mysql-server-core'], suite: 'sid' },
  { folder: 'servers', name: 'mysql', packages: ['mysql-server-core-8.4'], isWhole: true },
  { folder: 'servers', name: 'mysql', packages: ['mysql-server-core-8.0'], isWhole: true },
];

/**
 * The first server of the flavour in PATH or the usual folders, one that an earlier run has unpacked, or one of the distribution's packages, which is
 * unpacked into the cache without an installation. Null if there is none.
 * @param {Flavour} flavour
 * @returns {ServerProgram | null}
 */
export function locateServer(flavour) {
  const found = installedServer(flavour) ?? unpackedServer(flavour);
  if (found !== null) return found;
  const isUnpacked = flavour === 'mariadb' ? unpackDebian(MARIADB) : MYSQL.some(unpackDebian);
  return isUnpacked ? unpackedServer(flavour) : null;
}

function installedServer(flavour) {
  const folders = [...foldersOfPath(), ...FOLDERS];
  for (const name of PROGRAMS[flavour]) {
    const program = findIn(folders, name);
    if (program === null) continue;
    const installProgram = findIn(folders, 'mariadb-install-db');
    const found = describe({ program, command: [program], installProgram, options: [], environment: process.env });
    if (found.flavour === flavour) return found;
  }
  return null;
}

function unpackedServer(flavour) {
  const roots = foldersIn(unpackedFolder(MARIADB)).filter((root) => root.includes(`/${flavour}-`));
  const found = roots.map(flavour === 'mariadb' ? unpackedMariadb : unpackedMysql);
  return found.find((program) => program !== null) ?? null;
}

function unpackedMariadb(root) {
  const program = join(root, 'usr/sbin/mariadbd');
  if (!isExecutable(program)) return null;
  const options = [...placesIn(root), `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`];
  const environment = { ...process.env, LD_LIBRARY_PATH: libraryFolders(root).join(':') };
  const installProgram = join(root, 'usr/bin/mariadb-install-db');
  return describe({ program, command: [program], installProgram, options, environment });
}

/** The server's own dynamic linker starts it, because its C library may be newer than that of the machine. */
function unpackedMysql(root) {
  const program = join(root, 'usr/sbin/mysqld');
  const linker = linkerIn(root);
  if (!isExecutable(program) || linker === null) return null;
  const libraries = [...libraryFolders(root), join(root, 'usr/lib/mysql/private')].join(':');
  const command = [linker, '--library-path', libraries, program];
  return describe({ program, command, installProgram: null, options: placesIn(root), environment: process.env });
}

const placesIn = (root) => [`--basedir=${join(root, 'usr')}`, `--lc-messages-dir=${join(root, 'usr/share/mysql')}`];

function linkerIn(root) {
  for (const folder of libraryFolders(root)) {
    const name = readdirSync(folder).find((file) => /^ld-linux.*\.so\.\d+$/.test(file));
    if (name !== undefined) return join(folder, name);
  }
  return null;
}

/** @returns {ServerProgram} */
function describe(found) {
  const [file, ...args] = found.command;
  const answer = execFileSync(file, [...args, '--no-defaults', '--version'], {
    env: found.environment,
    encoding: 'utf8',
  });
  const flavour = /mariadb/i.test(answer) ? 'mariadb' : 'mysql';
  const version = /Ver ([\d.]+)/.exec(answer)?.[1] ?? 'unknown';
  return { flavour, version, ...found };
}
