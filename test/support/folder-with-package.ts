import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freshDist } from './fresh-dist';

const ROOT = resolve(__dirname, '../..');

/** Creates a folder with the built package, as after `npm install`: the module, and the command `quartz`. */
export function folderWithPackage(name: string): string {
  freshDist();
  const folder = mkdtempSync(join(tmpdir(), `quartz-ts-${name}-`));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/quartz-ts'));
  const command = `#!/usr/bin/env node\nrequire(${JSON.stringify(join(ROOT, 'dist/cli/main.js'))});\n`;
  writeFileSync(join(folder, 'node_modules/.bin/quartz'), command, { mode: 0o755 });
  return folder;
}

/** Environment variables with the database for the examples. */
export function variablesOf(databaseUrl: string) {
  const { protocol, username, password, host, pathname } = new URL(databaseUrl);
  return {
    QUARTZ_DB_URL: `${protocol}//${host}${pathname}`,
    QUARTZ_DB_USER: decodeURIComponent(username),
    QUARTZ_DB_PASSWORD: decodeURIComponent(password),
  };
}
