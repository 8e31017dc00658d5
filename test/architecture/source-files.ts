import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from '@typescript/typescript6';

export const SRC = resolve(__dirname, '../../src');
const DEMO = resolve(__dirname, '../../demo');

export interface SourceFile {
  /** Path below src without extension: 'engine/trigger-loop'. */
  readonly module: string;
  readonly text: string;
  readonly syntax: ts.SourceFile;
  /** Modules of this package it imports, as paths below src. */
  readonly imports: readonly string[];
  /** Packages and node: modules it imports. */
  readonly packages: readonly string[];
}

const cached = new Map<string, readonly SourceFile[]>();

/** Every TypeScript file below src, parsed once. */
export const sourceFiles = () => filesBelow(SRC);

/** The same of the demo. */
export const demoFiles = () => filesBelow(DEMO);

function filesBelow(root: string): readonly SourceFile[] {
  const known = cached.get(root);
  if (known !== undefined) return known;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .sort()
    .map((name) => readSource(root, name));
  cached.set(root, files);
  return files;
}

function readSource(root: string, name: string): SourceFile {
  const text = readFileSync(join(root, name), 'utf8');
  const syntax = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found = importsOf(syntax);
  const isOwn = (specifier: string) => specifier.startsWith('.');
  const toModule = (specifier: string) => relative(root, resolve(root, dirname(name), specifier));
  return {
    module: name.replace(/\.ts$/, ''),
    text,
    syntax,
    imports: found.filter(isOwn).map(toModule),
    packages: found.filter((specifier) => !isOwn(specifier)),
  };
}

/** Every module specifier of a file: of imports, type imports, exports from and `import()`. */
function importsOf(syntax: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      found.push(node.moduleSpecifier.text);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      found.push(node.moduleSpecifier.text);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteral(argument)) found.push(argument.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}
