import ts from '@typescript/typescript6';
import { sourceFiles } from '../source-files';

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

describe('wording', () => {
  it('of identifiers follows CONTRIBUTING', () => {
    const found = sourceFiles().flatMap((file) =>
      namesIn(file.syntax).flatMap((name) => {
        const [, instead] = NOT_USED.find(([word]) => word.test(name)) ?? [];
        return instead === undefined ? [] : [`${file.module}: ${name}; use ${instead}`];
      }),
    );
    expect(found).toEqual([]);
  });

  it('of doc comments begins with a noun or a verb', () => {
    const found = sourceFiles().flatMap((file) =>
      [...file.syntax.text.matchAll(BEGINNINGS)].map(
        ([comment, word]) => `${file.module}: ${comment.trim()} (${word})`,
      ),
    );
    expect(found).toEqual([]);
  });
});
