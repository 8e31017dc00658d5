/**
 * The entry points for `import`: each names what its CommonJS module exports, so that there is one copy of the code,
 * whichever way it is loaded.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** Writes `<entry>.mjs` beside the modules in `folder`. */
export function writeImportEntries(folder, entries) {
  const require = createRequire(import.meta.url);
  for (const entry of entries) {
    const names = Object.keys(require(resolve(folder, `${entry}.js`))).sort();
    writeFileSync(`${folder}/${entry}.mjs`, `export { ${names.join(', ')} } from './${entry}.js';\n`);
  }
}
