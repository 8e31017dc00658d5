import { join } from 'node:path';
import ts from '@typescript/typescript6';
import { SRC } from './source-files';

/*
 * A call takes its arguments on the stack: `list.push(...rows)` throws RangeError from some 60,000 rows on. What is spread as arguments must
 * have a length that the source code fixes: a tuple, or the rest parameter of the function itself, whose callers this rule checks too. A list
 * that is bounded by other means goes through `argumentsOf`, which throws when it is longer than a call takes.
 */

/** The spreads of `program` as `file:line text`, of those files that `isOurs`. */
function unboundedSpreads(program: ts.Program, isOurs: (path: string) => boolean): string[] {
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const report = (node: ts.Node) => {
    const file = node.getSourceFile();
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push(`${file.fileName.replace(`${SRC}/`, '')}:${line} ${node.getText().replaceAll(/\s+/g, ' ')}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      for (const argument of node.arguments ?? []) {
        if (ts.isSpreadElement(argument) && !isBounded(argument.expression, checker)) report(node);
      }
      const applied = appliedList(node);
      if (applied !== undefined && !isBounded(applied, checker)) report(node);
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (isOurs(file.fileName)) visit(file);
  return found;
}

/** `f.apply(self, list)` spreads the list as well. */
function appliedList(node: ts.CallExpression | ts.NewExpression): ts.Expression | undefined {
  const { expression } = node;
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'apply' && node.arguments?.length === 2
    ? node.arguments[1]
    : undefined;
}

/** Of base/lists.ts; test/unit/base/lists.test.ts shows that it throws. */
const CHECKED = 'argumentsOf';

function isBounded(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  if (ts.isCallExpression(expression) && expression.expression.getText() === CHECKED) return true;
  const type = checker.getTypeAtLocation(expression);
  const parts = type.isUnion() ? type.types : [type];
  if (parts.every((part) => isFixedTuple(part, checker)) || isObject(expression, type, checker)) return true;
  if (!ts.isIdentifier(expression)) return false;
  const declared = checker.getSymbolAtLocation(expression)?.valueDeclaration;
  return declared !== undefined && ts.isParameter(declared) && declared.dotDotDotToken !== undefined;
}

function isFixedTuple(type: ts.Type, checker: ts.TypeChecker): boolean {
  return checker.isTupleType(type) && !((type as ts.TypeReference).target as ts.TupleType).hasRestElement;
}

/** `store.apply(change, options)`: a method that happens to be called apply. */
function isObject(expression: ts.Expression, type: ts.Type, checker: ts.TypeChecker): boolean {
  return !ts.isSpreadElement(expression.parent) && !checker.isArrayLikeType(type);
}

/** What the rule finds in a source text. */
function foundIn(text: string): string[] {
  const host = ts.createCompilerHost({});
  const path = join(SRC, 'probe.ts');
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true) : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], { target: ts.ScriptTarget.ES2023, strict: true }, host);
  return unboundedSpreads(program, (name) => name === path);
}

describe('spreads', () => {
  it('spreads no list that grows with data as arguments of a call', () => {
    const configuration = join(SRC, '../tsconfig.json');
    const { config } = ts.readConfigFile(configuration, ts.sys.readFile);
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, join(SRC, '..'));
    const program = ts.createProgram(fileNames, options);
    expect(program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(SRC)).length).toBeGreaterThan(400);
    expect(unboundedSpreads(program, (name) => name.startsWith(SRC))).toEqual([]);
  });

  it('would notice each form, and lets tuples and rest parameters pass', () => {
    const text = `
      declare const rows: readonly number[];
      const pair = [1, 2] as const;
      declare function f(...given: readonly number[]): number;
      const all: number[] = [];
      all.push(...rows);
      Math.max(0, ...rows.map((row) => row + 1));
      all.concat(...rows.map((row) => [row]));
      f.apply(null, rows as number[]);
      f(...pair);
      declare function argumentsOf(list: readonly number[]): number[];
      f(...argumentsOf(rows));
      export const g = (...given: readonly number[]) => f(...given);
      export const copy = [...rows];
    `;
    expect(foundIn(text)).toEqual([
      'probe.ts:6 all.push(...rows)',
      'probe.ts:7 Math.max(0, ...rows.map((row) => row + 1))',
      'probe.ts:8 all.concat(...rows.map((row) => [row]))',
      'probe.ts:9 f.apply(null, rows as number[])',
    ]);
  });
});
