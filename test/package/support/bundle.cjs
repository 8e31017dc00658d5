/**
 * Bundles programs with one bundler, with the minimal options for a Node.js program:
 * `node bundle.cjs TOOL FORM ENTRY FOLDER [FORM ENTRY FOLDER …]`. Prints the warnings.
 */
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const [tool, ...args] = process.argv.slice(2);
const nameOf = (form) => (form === 'esm' ? 'bundle.mjs' : 'bundle.cjs');

/** webpack's default minimizer needs 45 s for a whole program; esbuild's renames in the same way. */
function shortener() {
  const Minimizer = require(require.resolve('minimizer-webpack-plugin', { paths: [require.resolve('webpack')] }));
  return new Minimizer({ minify: Minimizer.esbuildMinify });
}

const bundlers = {
  async esbuild(form, entry, folder) {
    const { build } = require('esbuild');
    const { warnings } = await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      format: form,
      outfile: join(folder, nameOf(form)),
      logLevel: 'silent',
    });
    return warnings;
  },
  async webpack(form, entry, folder) {
    const webpack = require('webpack');
    const isModule = form === 'esm';
    const modules = isModule ? { module: true, chunkFormat: 'module' } : {};
    const stats = await new Promise((resolve, reject) => {
      const options = {
        mode: isModule ? 'production' : 'development', // production minifies, development does not
        devtool: false,
        target: 'node20',
        entry,
        output: { path: folder, filename: nameOf(form), ...modules },
        experiments: { outputModule: isModule },
        optimization: { minimizer: [shortener()] },
      };
      webpack(options, (error, result) => (error ? reject(error) : resolve(result)));
    });
    if (stats.hasErrors()) throw new Error(stats.toString());
    return stats.toJson({ all: false, warnings: true }).warnings;
  },
  async vite(form, entry, folder) {
    const { build } = await import('vite');
    const warnings = [];
    await build({
      root: dirname(entry),
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: folder,
        rollupOptions: {
          output: { format: form, entryFileNames: nameOf(form) },
          onwarn: (warning) => warnings.push(warning.message),
        },
      },
    });
    return warnings;
  },
  async ncc(form, entry, folder) {
    const ncc = require('@vercel/ncc');
    const { code, assets } = await ncc(entry, { quiet: true, cache: false, esm: form === 'esm' });
    const files = { [nameOf(form)]: { source: code }, ...assets };
    for (const [file, { source }] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), source);
    }
    return [];
  },
};

async function main() {
  const warnings = [];
  for (let at = 0; at < args.length; at += 3) warnings.push(...(await bundlers[tool](...args.slice(at, at + 3))));
  console.log(JSON.stringify(warnings));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
