import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findIn, foldersIn, foldersOfPath, isExecutable, libraryFolders } from '../find-program.mjs';
import { unpackDebian, unpackedFolder } from '../unpack-debian.mjs';

/**
 * A browser that can be started.
 * @typedef {object} ChromiumProgram
 * @property {string} program its path
 * @property {NodeJS.ProcessEnv} environment
 */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chromium-headless-shell'];

/** All packages, so that libraries and fonts match on any machine. Without fonts, all texts would be boxes. */
const CHROMIUM = {
  folder: 'browsers',
  name: 'chromium',
  packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
  isWhole: true,
};

/**
 * The browser of CHROME_PATH, the first one in PATH, one that an earlier run has unpacked, or the one of the distribution, which is unpacked into the
 * cache without an installation. Throws with instructions if there is none.
 * @returns {ChromiumProgram}
 */
export function locateChromium() {
  const found = namedChromium() ?? installedChromium() ?? unpackedChromium();
  if (found !== null) return found;
  unpackDebian(CHROMIUM);
  const fetched = unpackedChromium();
  if (fetched !== null) return fetched;
  throw new Error(`No browser: expected CHROME_PATH to name a Chromium, or one of ${NAMES.join(', ')} in PATH.`);
}

function namedChromium() {
  const program = process.env.CHROME_PATH ?? '';
  if (program === '') return null;
  if (!isExecutable(program)) throw new Error(`CHROME_PATH: expected a program, got ${program}.`);
  return { program, environment: process.env };
}

function installedChromium() {
  const program = NAMES.map((name) => findIn(foldersOfPath(), name)).find((path) => path !== null);
  return program === undefined ? null : { program, environment: process.env };
}

function unpackedChromium() {
  for (const root of foldersIn(unpackedFolder(CHROMIUM))) {
    const program = join(root, 'usr/lib/chromium/chromium-headless-shell');
    if (isExecutable(program)) return { program, environment: environmentOf(root) };
  }
  return null;
}

function environmentOf(root) {
  const folders = libraryFolders(root).flatMap((folder) => [folder, join(folder, 'pulseaudio')]);
  const fonts = join(root, 'fonts.conf');
  const cache = join(root, 'fonts-cache');
  mkdirSync(cache, { recursive: true });
  const families = { 'sans-serif': 'DejaVu Sans', monospace: 'DejaVu Sans Mono' };
  const aliases = Object.entries(families).map(
    ([name, family]) => `<alias><family>${name}</family><prefer><family>${family}</family></prefer></alias>`,
  );
  const named = `<dir>${join(root, 'usr/share/fonts')}</dir><cachedir>${cache}</cachedir>`;
  writeFileSync(fonts, `<?xml version="1.0"?><fontconfig>${named}${aliases.join('')}</fontconfig>\n`);
  return { ...process.env, LD_LIBRARY_PATH: folders.join(':'), FONTCONFIG_FILE: fonts };
}
