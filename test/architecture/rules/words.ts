import ts from '@typescript/typescript6';
import { sourceFiles, testFiles } from '../source-files';

/*
 * Words that CONTRIBUTING forbids in code, because another word names the same idea.
 */

const NOT_USED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/^(MOST|LONGEST|LARGEST)($|_(?!SPECIFIC_FIRST))/, 'MAX_'],
  [/^(LEAST|SHORTEST|FEWEST)($|_)|^least$/, 'MIN_, min'],
  [/[Pp]atience|PATIENCE|[Pp]atient/, 'timeout, fallback or fallbackAfter'],
  [/^(onSaid|sayTo)|^(said|say|saying|says)($|[A-Z])|Said$/, 'onOutput, set, explanation, update'],
  [/^deeds?$|Deeds?$|^DEEDS?($|_)/, 'action'],
  [/^(lookAt|lookAgain|keepLooking|toLook)/, 'check, poll, readOnly'],
  [/^look(s|ed|ing)?($|[A-Z](?!ack|head))|Look(s|ed|ing)?($|[A-Z])|(^|_)LOOK(S|ED)?($|_(?!BACK))/, 'poll, check, read'],
  [/^(isMeant|meant)/, 'isSelected, selected'],
  [/^BESIDE|^besides?($|[A-Z])|Besides/, 'WITHOUT_LOCK, other'],
  [/^(handOut|letGo|holdings)$|Holdings/, 'dispatch, release, inFlight'],
  [/^TOLD|^[Tt]old($|[A-Z])|Told$|^tell($|[A-Z])|Tell(ing)?$/, 'report, notify'],
  [/^asks?($|[A-Z])|^ask(ed|er|ing)($|[A-Z])|Ask(s|ed|ing)?($|[A-Z])/, 'request, query, prompt'],
  [/^subjects$|^subject(Of|Text|List|In)|^Subject|[a-z]Subject/, 'target'], // `subject` is a parameter of SQL statements
  [/^[Mm]oment(s|Watch)?$|[a-z]Moments?$/, 'time'],
  [/^(un)?settl|(?<!all)Settl|SETTLE/, 'complete, drain, resolve'],
  [/[Gg]iv(e|en)Up/, 'abandon'],
  [/[Pp]ass(ed|es)Over/, 'skip'],
  [/^cut$|^(isCut|cutText)$/, 'truncate, abort'],
  [/[Bb]egun/, 'started'],
  [/^NOBODY/, 'anonymous, no account'],
  [/^whether[A-Z]/, 'is…'],
  [/ForPeople/, 'format'],
];

function namesIn(syntax: ts.SourceFile): readonly string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    if (ts.isPrivateIdentifier(node)) names.add(node.text.slice(1));
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return [...names];
}

/** First words of doc comments that are neither a noun nor a verb. */
const BEGINNINGS = /\/\*\*\s*(?:\*\s*)?(What|Whether|Of|Those|Who)\b/g;

/** First words that make a test name a riddle without the name before it. */
const NAME_BEGINNINGS = /^(of|what|those|whether)\b/i;

const NAMING = /^(describe|it|test)\b/;

function testNamesIn(syntax: ts.SourceFile): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && NAMING.test(node.expression.getText(syntax))) {
      const [name] = node.arguments;
      if (name !== undefined && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name)))
        names.push(name.getText(syntax).slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return names;
}

describe('wording', () => {
  it('identifiers follow CONTRIBUTING', () => {
    const found = sourceFiles().flatMap((file) =>
      namesIn(file.syntax).flatMap((name) => {
        const [, instead] = NOT_USED.find(([word]) => word.test(name)) ?? [];
        return instead === undefined ? [] : [`${file.module}: ${name}; use ${instead}`];
      }),
    );
    expect(found).toEqual([]);
  });

  it('doc comments begin with a noun or a verb', () => {
    const found = sourceFiles().flatMap((file) =>
      [...file.syntax.text.matchAll(BEGINNINGS)].map(
        ([comment, word]) => `${file.module}: ${comment.trim()} (${word})`,
      ),
    );
    expect(found).toEqual([]);
  });

  it('test names do not begin with of, what, those or whether', () => {
    const names = testFiles().flatMap(({ module, syntax }) => testNamesIn(syntax).map((name) => `${module}: ${name}`));
    expect(names.length).toBeGreaterThan(3_000);
    expect(names.filter((name) => NAME_BEGINNINGS.test(name.slice(name.indexOf(': ') + 2)))).toEqual([]);
    expect(NAME_BEGINNINGS.test('Of what is stored')).toBe(true);
  });
});
