import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/quartz-ts');

/** Packages that every machine with apt has. */
const ALWAYS_THERE = ['apt', 'dpkg'];

/** Libraries of a program of another suite, without the packages of its installation (perl, debconf). */
const LIBRARY = /^(lib(?!perl)|zlib)/;

const DEBIAN_KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * What is fetched from the distribution.
 * @typedef {object} DebianProgram
 * @property {string} folder of the cache, in which each version gets a folder
 * @property {string} name of a version's folder, before the version
 * @property {readonly string[]} packages the first one gives the version
 * @property {boolean} [isWhole] with every package that it needs, installed here or not
 * @property {boolean} [isAlone] without those that it needs
 * @property {string} [suite] another one than the machine's, such as Debian's `sid`: with all libraries, the C library too
 */

/** Cache of unpacked versions, with a folder for each. */
export function unpackedFolder({ folder }) {
  return join(CACHE, folder);
}

/**
 * Downloads packages with apt, by default with their dependencies, and unpacks them into the cache, without root and without an installation.
 * Returns false if there is no apt or no such package.
 * @param {DebianProgram} program
 */
export function unpackDebian(program) {
  const cache = unpackedFolder(program);
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, '.download-'));
  try {
    process.stderr.write(`Fetching ${program.packages[0]} for the tests (once, into node_modules/.cache)…\n`);
    const { names, version, options } = whatIsMissing(program, folder);
    run('apt-get', [...options, 'download', ...names], folder);
    const root = join(folder, 'root');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
      run('dpkg-deb', ['-x', file, root], folder);
    }
    renameSync(root, join(cache, `${program.name}-${version}`));
    return true;
  } catch (error) {
    process.stderr.write(`That failed: ${error instanceof Error ? error.message.split('\n')[0] : error}\n`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packages to fetch. Uses separate package lists if the machine has none. */
function whatIsMissing(program, folder) {
  if (program.suite !== undefined) return plan(program, folder, ownLists(folder, sourcesOf(program.suite, folder)));
  try {
    return plan(program, folder, []);
  } catch {
    return plan(program, folder, ownLists(folder, []));
  }
}

/** Options of apt for package lists in the folder, which are fetched. */
function ownLists(folder, sources) {
  const own = [
    ...sources,
    `-oDir::State::lists=${join(folder, 'lists')}`,
    `-oDir::Cache=${join(folder, 'cache')}`,
    '-oDebug::NoLocking=1',
  ];
  mkdirSync(join(folder, 'lists/partial'), { recursive: true });
  mkdirSync(join(folder, 'cache/archives/partial'), { recursive: true });
  run('apt-get', [...own, 'update'], folder);
  return own;
}

/** Options of apt for another suite on the mirror of the machine. */
function sourcesOf(suite, folder) {
  const list = join(folder, 'sources.list');
  const keys = existsSync(DEBIAN_KEYS) ? `[signed-by=${DEBIAN_KEYS}] ` : '';
  writeFileSync(list, `deb ${keys}${mirrorOfMachine()} ${suite} main\n`);
  return [`-oDir::Etc::sourcelist=${list}`, '-oDir::Etc::sourceparts=/dev/null'];
}

function mirrorOfMachine() {
  const folder = '/etc/apt/sources.list.d';
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const texts = [...files, '/etc/apt/sources.list']
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
  const mirrors = texts.flatMap((text) => text.match(/\bhttps?:\/\/\S+\/debian\/?(?=\s|$)/g) ?? []);
  return mirrors[0] ?? 'http://deb.debian.org/debian';
}

function plan({ packages, suite, isWhole = suite !== undefined, isAlone = false }, folder, options) {
  const status = join(folder, 'nothing-is-installed');
  writeFileSync(status, '');
  const asked = isWhole ? [...options, `-oDir::State::status=${status}`] : options;
  const wanted = simulate(packages, folder, asked);
  const version = wanted.get(packages[0])?.replace(/^\d+:|[^\w.].*$/g, '');
  if (version === undefined) throw new Error(`apt has no ${packages[0]}`);
  if (isAlone) return { names: packages, version, options };
  if (suite !== undefined) {
    const names = [...wanted.keys()].filter((name) => packages.includes(name) || LIBRARY.test(name));
    return { names, version, options };
  }
  const there = isWhole ? simulate(ALWAYS_THERE, folder, asked) : new Map();
  return { names: [...wanted.keys()].filter((name) => !there.has(name)), version, options };
}

/** The version of each package that would be installed, by name. */
function simulate(packages, folder, options) {
  const text = run('apt-get', [...options, 'install', '-s', '--no-install-recommends', ...packages], folder);
  return new Map(
    [...text.matchAll(/^Inst (\S+) (?:\[[^\]]*\] )?\((\S+)/gm)].map(([, name, version]) => [name, version]),
  );
}

function run(command, args, cwd) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
}
