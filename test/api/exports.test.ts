import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');
const BASELINE = join(__dirname, 'exports.txt');

/** Every exported name of an entry point with its kind, as the compiler sees it. */
function exportsOf(entry: string): string[] {
  const file = join(ROOT, 'src', `${entry}.ts`);
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  if (symbol === undefined) throw new Error(`${file} exports nothing`);
  return checker.getExportsOfModule(symbol).map((found) => {
    const target = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    const kind = target.flags & ts.SymbolFlags.Value ? 'value' : 'type';
    return `${entry} ${kind} ${found.name}`;
  });
}

describe('public exports', () => {
  it('are those of the baseline; a change shows as a diff of test/api/exports.txt (UPDATE_BASELINE=1 writes it)', () => {
    const found = `${['index', 'testing', 'console', 'opentelemetry'].flatMap(exportsOf).sort().join('\n')}\n`;
    if (process.env.UPDATE_BASELINE === '1') writeFileSync(BASELINE, found);
    expect(existsSync(BASELINE) && readFileSync(BASELINE, 'utf8')).toBe(found);
  }, 60_000);
});
