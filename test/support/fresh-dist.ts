import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** Folder of the built package. Throws if it is missing or older than its sources, so that no test runs old code. */
export function freshDist(): string {
  const dist = join(ROOT, 'dist');
  const last = join(dist, 'demo/run-demo.js'); // the last file that the build writes
  if (!existsSync(last)) throw new Error('dist/ is missing: run `npm run build` first.');
  const built = statSync(last).mtimeMs;
  for (const folder of ['src', 'sql', 'scripts', 'demo']) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, name);
      if (/\.(m?ts|mjs|sql)$/.test(name) && statSync(join(ROOT, file)).mtimeMs > built) {
        throw new Error(`dist/ is older than ${file}: run \`npm run build\` first.`);
      }
    }
  }
  return dist;
}

/** Folder of the modules that tsc writes as single files, for tests that load one module. `dist` contains the same code in a few files. */
export function freshModules(): string {
  freshDist();
  return join(ROOT, 'build');
}
