/** What is in dist/ besides what tsc writes: the entry points for `import`, the build for bundlers, and the console's page. */
import { copyFileSync, readdirSync } from 'node:fs';
import { buildConsole } from './build-console.mjs';
import { buildForBundlers } from './build-for-bundlers.mjs';

for (const file of readdirSync('src')) if (/\.m(js|ts)$/.test(file)) copyFileSync(`src/${file}`, `dist/${file}`);
await buildConsole('dist/console');
await buildForBundlers('dist/bundler', 'dist/console');
