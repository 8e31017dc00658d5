import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from '@typescript/typescript6';

export const SRC = resolve(__dirname, '../../src');
const DEMO = resolve(__dirname, '../../demo');
const TESTS = resolve(__dirname, '..');
const WEB = resolve(__dirname, '../../web/src');

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

/** A file of the program that is not on the disk. It contains every form of spread. */
const PROBE = join(SRC, 'probe.ts');
const PROBE_TEXT = `
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

let parsed: ts.Program | undefined;

/** The sources and the probe, parsed once, with types for the rules that need them. */
export function program(): ts.Program {
  parsed ??= createProgram();
  return parsed;
}

export const probe = () => program().getSourceFile(PROBE) as ts.SourceFile;

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(SRC, '../tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, join(SRC, '..'));
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile } = host;
  host.getSourceFile = (name, target, ...rest) =>
    name === PROBE ? ts.createSourceFile(name, PROBE_TEXT, target, true) : getSourceFile(name, target, ...rest);
  return ts.createProgram([...fileNames, PROBE], options, host);
}

const cached = new Map<string, readonly SourceFile[]>();

/** Every TypeScript file below src, parsed once. */
export const sourceFiles = () => filesBelow(SRC);

/** Every TypeScript file of the demo, parsed once. */
export const demoFiles = () => filesBelow(DEMO);

/** Every TypeScript file of the console's page, parsed once. */
export const webFiles = () => filesBelow(WEB);

/** Every TypeScript file of the tests, parsed once. */
export const testFiles = () => filesBelow(TESTS);

function filesBelow(root: string): readonly SourceFile[] {
  const known = cached.get(root);
  if (known !== undefined) return known;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .sort()
    .map((name) => readSource(root, name));
  cached.set(root, files);
  return files;
}

function readSource(root: string, name: string): SourceFile {
  const text = readFileSync(join(root, name), 'utf8');
  const path = join(root, name);
  const syntax =
    (root === SRC ? program().getSourceFile(path) : undefined) ??
    ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = importsOf(syntax);
  const isOwn = (specifier: string) => specifier.startsWith('.');
  const toModule = (specifier: string) => relative(root, resolve(root, dirname(name), specifier));
  return {
    module: name.replace(/\.tsx?$/, ''),
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
