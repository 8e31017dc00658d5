import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** The built package. Throws when it is missing or older than a source, so that no test judges yesterday's code. */
export function freshDist(): string {
  const dist = join(ROOT, 'dist');
  if (!existsSync(join(dist, 'index.js'))) throw new Error('dist/ is missing: run `npm run build` first.');
  const built = statSync(join(dist, 'index.js')).mtimeMs;
  const src = join(ROOT, 'src');
  for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (/\.m?ts$/.test(name) && statSync(join(src, name)).mtimeMs > built) {
      throw new Error(`dist/ is older than src/${name}: run \`npm run build\` first.`);
    }
  }
  return dist;
}
