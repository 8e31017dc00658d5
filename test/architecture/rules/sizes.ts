import ts from '@typescript/typescript6';
import { type SourceFile, sourceFiles } from '../source-files';

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 50;
const MAX_PARAMETERS = 4;

/** Lines that hold code: neither blank nor only a comment. */
function codeLines(syntax: ts.SourceFile, from: number, to: number): number {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(syntax) === 0 && node.getWidth(syntax) > 0 && node.kind !== ts.SyntaxKind.EndOfFileToken) {
      const start = syntax.getLineAndCharacterOfPosition(node.getStart(syntax)).line;
      const end = syntax.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = start; line <= end; line++) lines.add(line);
    }
    for (const child of node.getChildren(syntax)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(syntax);
  return [...lines].filter((line) => line >= from && line <= to).length;
}

/** Returns true for generated files, which have a comment at their start. Their length follows the table they are generated from. */
function isGenerated(syntax: ts.SourceFile): boolean {
  return syntax.text.startsWith('/*\n * Generated from ');
}

function functionsOf(file: SourceFile): { name: string; lines: number; parameters: number }[] {
  const found: { name: string; lines: number; parameters: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const start = file.syntax.getLineAndCharacterOfPosition(node.getStart(file.syntax)).line;
      const end = file.syntax.getLineAndCharacterOfPosition(node.getEnd()).line;
      const name = 'name' in node && node.name ? node.name.getText(file.syntax) : `line ${start + 1}`;
      const lines = end - start + 1 > MAX_FUNCTION_LINES ? codeLines(file.syntax, start, end) : end - start + 1;
      found.push({ name: `${file.module}: ${name}`, lines, parameters: node.parameters.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(file.syntax);
  return found;
}

/** Maximum number of files that exactly one other file imports: each needs a reason to be a separate file. */
const MAX_PARTS = 169;
/** Entries of a table, each in a separate file that only the table imports. */
const TABLES = /^(cli\/commands|operations\/table)\//;

describe('size limits', () => {
  it(`allow fewer than ${MAX_PARTS} files that only one other file imports`, () => {
    const importers = new Map<string, number>();
    for (const file of sourceFiles())
      for (const target of new Set(file.imports)) importers.set(target, (importers.get(target) ?? 0) + 1);
    const parts = [...importers]
      .filter(([module, count]) => count === 1 && !TABLES.test(module))
      .map(([module]) => module);
    expect(parts.length < MAX_PARTS ? [] : parts).toEqual([]);
  });

  it(`allow at most ${MAX_FILE_LINES} lines of code per file`, () => {
    const long = sourceFiles()
      .filter(({ syntax }) => syntax.getLineStarts().length > MAX_FILE_LINES)
      .filter(({ syntax }) => !isGenerated(syntax))
      .map((file) => ({ module: file.module, lines: codeLines(file.syntax, 0, Number.POSITIVE_INFINITY) }))
      .filter(({ lines }) => lines > MAX_FILE_LINES);
    expect(long).toEqual([]);
  });

  it(`allow at most ${MAX_FUNCTION_LINES} lines and ${MAX_PARAMETERS} parameters per function`, () => {
    const large = sourceFiles()
      .flatMap(functionsOf)
      .filter(({ lines, parameters }) => lines > MAX_FUNCTION_LINES || parameters > MAX_PARAMETERS);
    expect(large).toEqual([]);
  });
});
