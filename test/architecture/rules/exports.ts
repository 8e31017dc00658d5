import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from '@typescript/typescript6';
import { program, SRC } from '../source-files';

const BASELINE = resolve(__dirname, '../../api/exports.txt');

const ENTRIES = ['index', 'testing', 'console', 'opentelemetry'] as const;

/** Every exported name of the entry points with its kind, as the compiler sees it. */
function exportedNames(): string[] {
  const checker = program().getTypeChecker();
  return ENTRIES.flatMap((entry) => {
    const source = program().getSourceFile(join(SRC, `${entry}.ts`));
    const symbol = source && checker.getSymbolAtLocation(source);
    if (symbol === undefined) throw new Error(`${entry} exports nothing`);
    return checker.getExportsOfModule(symbol).map((found) => {
      const target = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
      const kind = target.flags & ts.SymbolFlags.Value ? 'value' : 'type';
      return `${entry} ${kind} ${found.name}`;
    });
  });
}

describe('public exports', () => {
  it('match the baseline test/api/exports.txt (UPDATE_BASELINE=1 rewrites it)', () => {
    const found = `${exportedNames().sort().join('\n')}\n`;
    if (process.env.UPDATE_BASELINE === '1') writeFileSync(BASELINE, found);
    expect(existsSync(BASELINE) && readFileSync(BASELINE, 'utf8')).toBe(found);
  });
});
