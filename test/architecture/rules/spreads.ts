import ts from '@typescript/typescript6';
import { probe, program, SRC, sourceFiles } from '../source-files';

/*
 * A call takes its arguments on the stack: `list.push(...rows)` throws RangeError from some 60,000 rows on. What is spread as arguments must
 * have a length that the source code fixes: a tuple, or the rest parameter of the function itself, whose callers this rule checks too. A list
 * that is bounded by other means goes through `argumentsOf`, which throws when it is longer than a call takes.
 */

/** Lists spread as arguments in a file of the program, as `file:line text`. */
function unboundedSpreads(syntax: ts.SourceFile): string[] {
  const checker = program().getTypeChecker();
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
  visit(syntax);
  return found;
}

/** `f.apply(self, list)` spreads the list as well. */
function appliedList(node: ts.CallExpression | ts.NewExpression): ts.Expression | undefined {
  const { expression } = node;
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'apply' && node.arguments?.length === 2
    ? node.arguments[1]
    : undefined;
}

/** The function of base/lists.ts that checks a list's length; test/unit/base/lists.test.ts shows that it throws. */
const CHECKED = 'argumentsOf';

function isBounded(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  if (ts.isCallExpression(expression) && expression.expression.getText() === CHECKED) return true;
  if (ts.isIdentifier(expression) && isRestParameter(expression, checker)) return true;
  const type = checker.getTypeAtLocation(expression);
  const parts = type.isUnion() ? type.types : [type];
  return parts.every((part) => isFixedTuple(part, checker)) || isObject(expression, type, checker);
}

function isRestParameter(identifier: ts.Identifier, checker: ts.TypeChecker): boolean {
  const declared = checker.getSymbolAtLocation(identifier)?.valueDeclaration;
  return declared !== undefined && ts.isParameter(declared) && declared.dotDotDotToken !== undefined;
}

function isFixedTuple(type: ts.Type, checker: ts.TypeChecker): boolean {
  return checker.isTupleType(type) && !((type as ts.TypeReference).target as ts.TupleType).hasRestElement;
}

/** `store.apply(change, options)`: a method that happens to be called apply. */
function isObject(expression: ts.Expression, type: ts.Type, checker: ts.TypeChecker): boolean {
  return !ts.isSpreadElement(expression.parent) && !checker.isArrayLikeType(type);
}

describe('spread arguments', () => {
  it('have a fixed length in all source files', () => {
    expect(sourceFiles().length).toBeGreaterThan(400);
    expect(sourceFiles().flatMap(({ syntax }) => unboundedSpreads(syntax))).toEqual([]);
  });

  it('are detected in each form, except tuples and rest parameters', () => {
    expect(unboundedSpreads(probe())).toEqual([
      'probe.ts:6 all.push(...rows)',
      'probe.ts:7 Math.max(0, ...rows.map((row) => row + 1))',
      'probe.ts:8 all.concat(...rows.map((row) => [row]))',
      'probe.ts:9 f.apply(null, rows as number[])',
    ]);
  });
});
