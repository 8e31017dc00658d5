import { join } from 'node:path';
import ts from '@typescript/typescript6';
import { TRIGGER_STATES } from '../../../src/domain/trigger-state';
import { SRC, sourceFiles, webFiles } from '../source-files';

/*
 * States of triggers are named in domain/trigger-state. All other layers above the stores use its predicates and sets, so that a fact such as "is
 * paused" has one place.
 */

const STATES: ReadonlySet<string> = new Set(TRIGGER_STATES);

/** Layers that decide or store states. */
const DECIDING = /^(domain|store)\//;

function statesIn(syntax: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && STATES.has(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

describe('states of triggers', () => {
  it('are literals only in domain and the stores', () => {
    const files = [...sourceFiles().filter(({ module }) => !DECIDING.test(module)), ...webFiles()];
    const found = files.flatMap(({ module, syntax }) => statesIn(syntax).map((state) => `${module}: '${state}'`));
    expect(found).toEqual([]);
  });

  it('are found as strings and attributes', () => {
    const text = `const a = 'PAUSED'; const b = <State of="ERROR" />; const c = { BLOCKED: 1 };`;
    const probe = ts.createSourceFile(join(SRC, 'states.tsx'), text, ts.ScriptTarget.Latest, true);
    expect(statesIn(probe)).toEqual(['PAUSED', 'ERROR']);
  });
});
