import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from '@typescript/typescript6';
import { demoFiles, program, type SourceFile, SRC, sourceFiles, testFiles, webFiles } from '../source-files';

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

/** Modules whose exports form an interface: the entry points, what they re-export, and what is generated or loaded by name. */
const INTERFACES = new Set<string>([...ENTRIES, 'config/configuration', 'engine/job-thread-entry']);

/** Names that a file imports from modules below src, as `module#name`. A `*` stands for all names. */
function importedNames({ syntax }: SourceFile): readonly string[] {
  const found: string[] = [];
  const add = (specifier: ts.Node | undefined, names: readonly string[]) => {
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return;
    const module = relative(SRC, resolve(dirname(syntax.fileName), specifier.text));
    for (const name of names) found.push(`${module}#${name}`);
  };
  const namesOf = (elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]) =>
    elements.map(({ name, propertyName }) => (propertyName ?? name).text);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      if (bindings) add(node.moduleSpecifier, ts.isNamedImports(bindings) ? namesOf(bindings.elements) : ['*']);
    } else if (ts.isExportDeclaration(node)) {
      const { exportClause } = node;
      add(
        node.moduleSpecifier,
        exportClause && ts.isNamedExports(exportClause) ? namesOf(exportClause.elements) : ['*'],
      );
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, [node.qualifier?.getText(syntax) ?? '*']);
    } else if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], ['*']);
      if (/^(require|jest\.)/.test(node.expression.getText(syntax))) add(node.arguments[0], ['*']);
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

function declaredExports({ syntax }: SourceFile): readonly string[] {
  return syntax.statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    const { name } = statement as ts.DeclarationStatement;
    return name === undefined ? [] : [name.text];
  });
}

describe('internal exports', () => {
  it('are each imported by another file', () => {
    const files = [...sourceFiles(), ...webFiles(), ...demoFiles(), ...testFiles()];
    const imported = new Set(files.flatMap(importedNames));
    const unused = sourceFiles()
      .filter(({ module }) => !INTERFACES.has(module) && !imported.has(`${module}#*`))
      .flatMap((file) => declaredExports(file).map((name) => `${file.module}#${name}`))
      .filter((name) => !imported.has(name));
    expect(imported.size).toBeGreaterThan(1_000);
    expect(unused).toEqual([]);
  });
});
