import { readFileSync } from 'node:fs';
import ts from 'typescript';

const SOURCE = new URL('../../test/operations/loop/largest-inputs.ts', import.meta.url);

/** The largest inputs of each operation, as the tests keep them: typed there, so that none is forgotten. */
export async function largestInputs() {
  const { outputText } = ts.transpileModule(readFileSync(SOURCE, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const { LARGEST } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  return LARGEST;
}
