import { resolve } from 'node:path';
import ts from '@typescript/typescript6';

/** Something a user sees in an editor: an export, or a member of one. */
export interface PublicMember {
  /** `Scheduler.schedule` */
  readonly name: string;
  /** The documentation that an editor shows; empty if there is none. */
  readonly text: string;
  /** True if it is a number or takes one. `EpochMs` does not count, because its name gives the unit. */
  readonly hasNumber: boolean;
  /** True if it is a function that returns a promise, so that it may reject. */
  readonly isAsync: boolean;
  /** Parameter names of the overload with the most parameters, `...rest` if they depend on a type; empty if it takes none. */
  readonly parameters: readonly string[];
}

/** Every export of the entry points and every member of them, as declared here (not what they inherit from elsewhere). */
export function publicMembers(entries: readonly string[]): readonly PublicMember[] {
  const program = ts.createProgram(entries, {
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
  });
  const checker = program.getTypeChecker();
  const found = new Map<string, PublicMember>();
  const tell = (name: string, symbol: ts.Symbol) => {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)) || (found.get(name)?.text ?? '');
    found.set(name, { name, text, ...kindOf(symbol, checker) });
  };
  for (const entry of entries) {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      tell(exported.name, symbol);
      for (const [name, member] of membersOf(symbol, checker)) tell(`${exported.name}.${name}`, member);
    }
  }
  return [...found.values()];
}

function kindOf(
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
): Pick<PublicMember, 'hasNumber' | 'isAsync' | 'parameters'> {
  const calls = checker.getNonNullableType(checker.getTypeOfSymbol(symbol)).getCallSignatures();
  const given = calls.flatMap((call) => call.getParameters());
  return {
    hasNumber: [symbol, ...given].some(({ declarations = [] }) => declarations.some(isNumber)),
    isAsync: calls.some((call) => call.getReturnType().getSymbol()?.name === 'Promise'),
    parameters: calls
      .map((call) => call.getParameters().map(nameOfParameter))
      .reduce((most, each) => (each.length > most.length ? each : most), []),
  };
}

function nameOfParameter({ name, declarations = [] }: ts.Symbol): string {
  return declarations.some((each) => ts.isParameter(each) && each.dotDotDotToken !== undefined) ? `...${name}` : name;
}

/** Returns true for a number, also an optional one. A union of string and number counts as a string. */
function isNumber(declaration: ts.Declaration): boolean {
  const type = 'type' in declaration ? (declaration.type as ts.TypeNode | undefined) : undefined;
  if (ts.isFunctionLike(declaration) || type === undefined) return false;
  const types = ts.isUnionTypeNode(type) ? type.types : [type];
  const has = (wanted: ts.SyntaxKind) => types.some(({ kind }) => kind === wanted);
  return has(ts.SyntaxKind.NumberKeyword) && !has(ts.SyntaxKind.StringKeyword);
}

function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly (readonly [string, ts.Symbol])[] {
  const types = [
    ...(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)
      ? [checker.getDeclaredTypeOfSymbol(symbol)]
      : []),
    ...(symbol.flags & ts.SymbolFlags.Class ? [checker.getTypeOfSymbol(symbol)] : []),
  ];
  // Members of a union are skipped: each alternative has a comment or is an export itself.
  const members = types
    .filter((type) => type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))
    .flatMap((type) => checker.getPropertiesOfType(type));
  return members.filter(isOurs).map((member) => [member.name, member] as const);
}

const OURS = resolve(__dirname, '../../dist');

/** Returns true for members declared here: not inherited from Error or Array, not `prototype`, and not of type `never`. */
function isOurs({ declarations = [], name }: ts.Symbol): boolean {
  if (name === 'prototype' || name.startsWith('__') || name.startsWith('#')) return false;
  return declarations.some(
    (each) => each.getSourceFile().fileName.startsWith(OURS) && !isNever(each) && !isPrivate(each),
  );
}

const isNever = (node: ts.Declaration) =>
  ts.isPropertySignature(node) && node.type?.kind === ts.SyntaxKind.NeverKeyword;

const isPrivate = (node: ts.Declaration) =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
