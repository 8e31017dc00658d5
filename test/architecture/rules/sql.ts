import ts from '@typescript/typescript6';
import { sourceFiles } from '../source-files';

/** A statement, or a piece of one: SQL belongs to sql/, where both dialects are compared and every statement names its index. */
const SQL =
  /\b(SELECT\s.+\sFROM|INSERT\s+(IGNORE\s+)?INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX)|ALTER\s+TABLE\s+\w+\s+\w+|SET\s+SESSION)\b/s;

function textsIn(syntax: ts.SourceFile): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) texts.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return texts;
}

describe('SQL', () => {
  it('does not appear in TypeScript sources', () => {
    const found = sourceFiles().flatMap((file) =>
      textsIn(file.syntax)
        .filter((text) => SQL.test(text))
        .map((text) => `${file.module}: ${text.slice(0, 60)}`),
    );
    expect(found).toEqual([]);
  });

  it('is detected in strings and templates, but not in prose', () => {
    const parse = (text: string) => textsIn(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true));
    expect(parse("const a = 'SELECT a FROM b';").some((text) => SQL.test(text))).toBe(true);
    expect(parse('const a = `DELETE FROM t`;').some((text) => SQL.test(text))).toBe(true);
    expect(parse("const a = 'Select a job from the list';").some((text) => SQL.test(text))).toBe(false);
  });
});
