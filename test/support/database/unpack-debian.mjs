import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where unpacked servers stay between runs, one folder each. */
export const CACHE = resolve(dirname(fileURLToPath(import.meta.url)), '../../../node_modules/.cache/quartz-ts/servers');

const PACKAGE = 'mariadb-server-core';

/** Holds `my_print_defaults`, which the script that makes the data calls; only recommended by the other. */
const CLIENT_PACKAGE = 'mariadb-client-core';

/**
 * Downloads the server's packages and those it needs with apt and unpacks them into the cache: no root, nothing installed.
 * False where there is no apt or no such package.
 */
export function unpackDebianServer() {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, '.download-'));
  try {
    process.stderr.write(`Fetching ${PACKAGE} for the SQL tests (once, into node_modules/.cache)…\n`);
    const { names, version, options } = whatIsMissing(folder);
    run('apt-get', [...options, 'download', ...names], folder);
    const root = join(folder, 'root');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
      run('dpkg-deb', ['-x', file, root], folder);
    }
    renameSync(root, join(CACHE, `mariadb-${version}`));
    return true;
  } catch (error) {
    process.stderr.write(`That failed: ${error instanceof Error ? error.message.split('\n')[0] : error}\n`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The packages to fetch; with package lists of our own where the machine has none. */
function whatIsMissing(folder) {
  const own = [
    `-oDir::State::lists=${join(folder, 'lists')}`,
    `-oDir::Cache=${join(folder, 'cache')}`,
    '-oDebug::NoLocking=1',
  ];
  try {
    return simulate(folder, []);
  } catch {
    mkdirSync(join(folder, 'lists/partial'), { recursive: true });
    mkdirSync(join(folder, 'cache/archives/partial'), { recursive: true });
    run('apt-get', [...own, 'update'], folder);
    return simulate(folder, own);
  }
}

function simulate(folder, options) {
  const plan = run(
    'apt-get',
    [...options, 'install', '-s', '--no-install-recommends', PACKAGE, CLIENT_PACKAGE],
    folder,
  );
  const wanted = [...plan.matchAll(/^Inst (\S+) (?:\[[^\]]*\] )?\((\S+)/gm)];
  const version = wanted.find(([, name]) => name === PACKAGE)?.[2]?.replace(/^\d+:|[^\w.].*$/g, '');
  if (version === undefined) throw new Error(`apt has no ${PACKAGE}`);
  return { names: wanted.map(([, name]) => name), version, options };
}

function run(command, args, cwd) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
}
