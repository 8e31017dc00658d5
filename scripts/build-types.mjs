/**
 * The types of the entry points: the declarations that tsc has written to build/, put together in a few files. They contain only types that an entry
 * point exports, and types that these need.
 */
import { writeFileSync } from 'node:fs';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** Writes `<entry>.d.ts` for `require`, and `<entry>.d.mts` for `import`. */
export async function buildTypes(folder, entries) {
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, `build/${entry}.d.ts`])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('build/'),
    plugins: [dts({ tsconfig: 'tsconfig.json' })],
    onwarn: ({ message }) => {
      // Types that only other types use have no public name, in one file or in many.
      if (!message.includes('references private shared type exports')) throw new Error(message);
    },
  });
  await bundle.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`,
    hoistTransitiveImports: false, // an optional peer is imported only where its types are used
  });
  await bundle.close();
  for (const entry of entries) writeFileSync(`${folder}/${entry}.d.mts`, `export * from './${entry}.js';\n`);
}
