/** Writes dist/: the modules for Node, the entry points for `import`, the types, the build for bundlers, and the console's page. */
import { writeFileSync } from 'node:fs';
import { buildConsole } from './build-console.mjs';
import { buildForBundlers } from './build-for-bundlers.mjs';
import { buildForNode } from './build-for-node.mjs';
import { buildTypes } from './build-types.mjs';
import { writeImportEntries } from './write-import-entries.mjs';

const ENTRIES = ['index', 'testing', 'console', 'opentelemetry'];

// The compiler has converted its `import()` to `require`, which cannot load what users name.
writeFileSync('build/base/import-module.js', 'exports.importModule = (url) => import(url);\n');
await buildForNode('dist');
writeImportEntries('dist', ENTRIES);
await buildTypes('dist', ENTRIES);
await buildConsole('dist/console');
await buildForBundlers('dist/bundler', 'dist/console');
