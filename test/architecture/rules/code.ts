import ts from '@typescript/typescript6';
import { type SourceFile, sourceFiles } from '../source-files';

/** Returns true if the syntax tree of a file contains a matching node. */
function uses(file: SourceFile, matches: (node: ts.Node) => boolean): boolean {
  let found = false;
  const visit = (node: ts.Node): void => {
    if (matches(node)) found = true;
    if (!found) ts.forEachChild(node, visit);
  };
  visit(file.syntax);
  return found;
}

const isAccess = (node: ts.Node, object: string, property: string) =>
  ts.isPropertyAccessExpression(node) && node.expression.getText() === object && node.name.text === property;

const isCallOf = (node: ts.Node, name: string) =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name;

/** `new Date()` without arguments reads the clock; `new Date(time)` does not. */
const isClockReadingDate = (node: ts.Node) =>
  ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0;

const readsSystemTime = (node: ts.Node) =>
  isAccess(node, 'Date', 'now') ||
  isAccess(node, 'performance', 'now') ||
  isAccess(node, 'process', 'hrtime') ||
  isAccess(node, 'DateTime', 'now') ||
  isAccess(node, 'DateTime', 'local') ||
  isClockReadingDate(node) ||
  isCallOf(node, 'setTimeout') ||
  isCallOf(node, 'setInterval');

const offenders = (matches: (node: ts.Node) => boolean, allowed: (module: string) => boolean) =>
  sourceFiles()
    .filter((file) => !allowed(file.module) && uses(file, matches))
    .map((file) => file.module);

/** Names of the declarations of a file that match. */
function namesOf(file: SourceFile, matches: (node: ts.Node) => boolean): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (matches(node)) found.push((node as ts.NamedDeclaration).name?.getText() ?? '');
    ts.forEachChild(node, visit);
  };
  visit(file.syntax);
  return found;
}

/** A method of a class, an object or an interface, also one that is written as a property. */
const isMember = (node: ts.Node) =>
  ts.isMethodSignature(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isShorthandPropertyAssignment(node) ||
  (ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer));

describe('source code', () => {
  it('reads the system time and sets timers in one file only', () => {
    expect(offenders(readsSystemTime, (module) => module === 'base/clock')).toEqual([]);
    expect(offenders(readsSystemTime, () => false)).toEqual(['base/clock']);
  });

  it('generates random values in one file only', () => {
    const isRandom = (node: ts.Node) =>
      isAccess(node, 'Math', 'random') || isCallOf(node, 'randomBytes') || isCallOf(node, 'randomUUID');
    expect(offenders(isRandom, () => false)).toEqual(['base/ids']);
  });

  it('writes log messages only in the log subscriber and the history plugins', () => {
    const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'log']);
    const isLogging = (node: ts.Node) => {
      if (!ts.isCallExpression(node)) return false;
      const { expression: method } = node;
      const isLevel =
        ts.isElementAccessExpression(method) || (ts.isPropertyAccessExpression(method) && LEVELS.has(method.name.text));
      return isLevel && /log(ger)?$/i.test(method.expression.getText());
    };
    expect(offenders(isLogging, () => false)).toEqual(['events/log-subscriber', 'plugins/logging-history']);
  });

  it('writes to the console only in the command line', () => {
    const isConsole = (node: ts.Node) => ts.isPropertyAccessExpression(node) && node.expression.getText() === 'console';
    expect(offenders(isConsole, (module) => module.startsWith('cli/'))).toEqual([]);
  });

  it('declares each method of the store port in at most three modules', () => {
    const port = sourceFiles().filter(({ module }) => module === 'store/job-store');
    const methods = new Set(port.flatMap((file) => namesOf(file, ts.isMethodSignature)));
    for (const common of ['open', 'close']) methods.delete(common);
    const between = sourceFiles().filter(({ module }) => /^(store|cluster|scheduler\/node)\//.test(module));
    const modulesOf = (name: string) =>
      between.filter((file) => namesOf(file, isMember).includes(name)).map(({ module }) => module);
    const scattered = [...methods]
      .map((name) => [name, modulesOf(name)] as const)
      .filter(([, found]) => found.length > 3);
    expect(methods.size).toBeGreaterThan(20);
    expect(Object.fromEntries(scattered)).toEqual({});
  });

  it('has the unit in the name of every constant that is a duration', () => {
    const isDuration = (node: ts.Node) =>
      ts.isVariableDeclaration(node) &&
      /^[0-9_.*+ ()]+$/.test(node.initializer?.getText() ?? '') &&
      /(^|(?<!_PER)_)(PATIENCE|TIMEOUT|INTERVAL|DELAY|GRACE|TTL|PERIOD|LATE|LATENESS|LEAD|AGE|WAIT|PAUSE|OLD|IDLE|SUSPICION|TOLERANCE)$/.test(
        node.name.getText(),
      );
    expect(offenders(isDuration, () => false)).toEqual([]);
  });

  it('keeps the domain free of I/O and await', () => {
    const impure = sourceFiles()
      .filter((file) => file.module.startsWith('domain/'))
      .filter((file) => uses(file, ts.isAwaitExpression) || file.packages.some((name) => name.startsWith('node:')))
      .map((file) => file.module);
    expect(impure).toEqual([]);
  });

  it('imports only declared dependencies, and optional ones only where they are used', () => {
    const { dependencies, peerDependencies } = require('../../../package.json') as Record<
      string,
      Record<string, string>
    >;
    const isDeclared = (module: string, name: string) =>
      name === 'zod' || // part of both builds
      name in (dependencies ?? {}) ||
      (/^(opentelemetry|store\/sql\/mysql)\//.test(module) && name in (peerDependencies ?? {}));
    const undeclared = sourceFiles().flatMap((file) =>
      file.packages
        .filter((name) => !name.startsWith('node:') && !isDeclared(file.module, name))
        .map((name) => `${file.module}: ${name}`),
    );
    expect(undeclared).toEqual([]);
  });

  it('uses no eval, and imports modules by a computed name only to load jobs', () => {
    const isDynamic = (node: ts.Node) =>
      isCallOf(node, 'eval') ||
      (ts.isNewExpression(node) && node.expression.getText() === 'Function') ||
      (ts.isCallExpression(node) &&
        (node.expression.kind === ts.SyntaxKind.ImportKeyword || isCallOf(node, 'require')) &&
        !ts.isStringLiteral(node.arguments[0] ?? node));
    expect(offenders(isDynamic, (module) => module === 'base/import-module')).toEqual([]);
    const importers = sourceFiles().filter(({ imports }) => imports.includes('base/import-module'));
    expect(importers.map(({ module }) => module).sort()).toEqual(['cli/load-jobs-module', 'engine/job-thread-entry']);
  });

  it('has no default export, no enum, no I prefix of interfaces and no Util, Helper, Impl or Abstract class', () => {
    const isForbidden = (node: ts.Node) =>
      ts.isExportAssignment(node) ||
      ts.isEnumDeclaration(node) ||
      (ts.isInterfaceDeclaration(node) &&
        /^I[A-Z][a-z]/.test(node.name.text) &&
        !/^I(nterval|nstance|nput|f)/.test(node.name.text)) ||
      (ts.isClassDeclaration(node) && /(Util|Helper|Impl|Abstract)/.test(node.name?.text ?? ''));
    expect(offenders(isForbidden, () => false)).toEqual([]);
  });
});
