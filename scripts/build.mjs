/** Writes what dist/ contains besides the output of tsc: the entry points for `import`, the build for bundlers, and the console's page. */
import { buildConsole } from './build-console.mjs';
import { buildForBundlers } from './build-for-bundlers.mjs';
import { writeImportEntries } from './write-import-entries.mjs';

writeImportEntries('dist');
await buildConsole('dist/console');
await buildForBundlers('dist/bundler', 'dist/console');
