import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const SOURCE = fileURLToPath(new URL('../../test/operations/loop/largest-inputs.ts', import.meta.url));

/** Largest inputs of each operation. The tests keep them in a typed file, so that none is forgotten. */
export async function largestInputs() {
  const { outputFiles } = buildSync({ entryPoints: [SOURCE], bundle: true, write: false, format: 'esm' });
  const { LARGEST } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return LARGEST;
}
