/** What is in dist/ besides what tsc writes: the entry points for `import`, and the build for bundlers. */
import { copyFileSync, readdirSync } from 'node:fs';
import { buildForBundlers } from './build-for-bundlers.mjs';

for (const file of readdirSync('src')) if (/\.m(js|ts)$/.test(file)) copyFileSync(`src/${file}`, `dist/${file}`);
await buildForBundlers('dist/bundler');
