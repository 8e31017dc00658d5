import ts from 'typescript';
import { sourceFiles } from './source-files';

/*
 * Words of CONTRIBUTING that the code does not use: one word per idea, and the field's.
 */

const NOT_USED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/^(MOST|LONGEST|LARGEST)_(?!SPECIFIC_FIRST)/, 'MAX_'],
  [/^(LEAST|SHORTEST|FEWEST)_/, 'MIN_'],
  [/[Pp]atience|PATIENCE/, 'timeout, or fallbackAfter'],
  [/^(onSaid|sayTo)/, 'onOutput'],
  [/^deeds?$|Deeds?$/, 'action'],
  [/^(lookAt|lookAgain|keepLooking|toLook)/, 'check, poll, readOnly'],
  [/^(isMeant|meant)/, 'isSelected, selected'],
  [/^BESIDE/, 'WITHOUT_LOCK'],
  [/^(handOut|letGo|holdings)$/, 'dispatch, release, inFlight'],
  [/^(ToldEvents|tellToStop|isTold|TOLD)/, 'report, notify'],
  [/ForPeople/, 'format'],
];

function namesIn(syntax: ts.SourceFile): readonly string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return [...names];
}

/** First words of doc comments that are no noun and no verb. */
const BEGINNINGS = /\/\*\*\s*(?:\*\s*)?(What|Whether|Of|Those|Who)\b/g;

describe('words', () => {
  it('of identifiers are those of CONTRIBUTING', () => {
    const found = sourceFiles().flatMap((file) =>
      namesIn(file.syntax).flatMap((name) => {
        const [, instead] = NOT_USED.find(([word]) => word.test(name)) ?? [];
        return instead === undefined ? [] : [`${file.module}: ${name}; use ${instead}`];
      }),
    );
    expect(found).toEqual([]);
  });

  it('at the beginning of doc comments are nouns or verbs', () => {
    const found = sourceFiles().flatMap((file) =>
      [...file.syntax.text.matchAll(BEGINNINGS)].map(
        ([comment, word]) => `${file.module}: ${comment.trim()} (${word})`,
      ),
    );
    expect(found.length).toBeLessThanOrEqual(MAX_OTHER_BEGINNINGS);
  });
});

/** Comments that still begin so; lower it with each that is rewritten. */
const MAX_OTHER_BEGINNINGS = 496;
