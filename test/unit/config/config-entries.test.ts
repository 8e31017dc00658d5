import { type ConfigEntry, withReferences } from '../../../src/config/config-entries';
import type { Problem } from '../../../src/config/problem';
import { dataDocument } from '../../../src/config/source-document';
import type { JsonValue } from '../../../src/domain/job-data';
import { fastestRun } from '../../support/fastest-run';

const MANY = 20_000;

function followed(values: Readonly<Record<string, unknown>>) {
  const problems: Problem[] = [];
  const entries = Object.entries(values).map(
    ([key, value]): ConfigEntry => ({ key, path: [key], value, secret: false }),
  );
  const document = dataDocument('test', values as JsonValue);
  const found = withReferences(entries, { document, problems, isKnown: () => true });
  return { values: Object.fromEntries(found.map(({ key, value }) => [key, value])), problems };
}

const many = (line: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => line(index)));

describe('references between keys', () => {
  it('resolve to the value at the end of their chain', () => {
    expect(followed({ a: '$@b', b: '$@ org.quartz.c', c: 7, d: '$@b' }).values).toEqual({ a: 7, b: 7, c: 7, d: 7 });
  });

  it('in a cycle are each reported', () => {
    const { values, problems } = followed({ into: '$@a', a: '$@b', b: '$@a', own: '$@own', fine: 1 });
    expect(values).toEqual({ fine: 1 });
    expect(problems.map(({ path, found }) => `${path}: ${found}`)).toEqual([
      "into: a cycle through 'a'",
      "a: a cycle through 'a'",
      "b: a cycle through 'a'",
      "own: a cycle through 'own'",
    ]);
  });

  it.each([
    ['one long chain', many((index) => [`k${index}`, index === MANY - 1 ? 'end' : `$@k${index + 1}`])],
    ['one long cycle', many((index) => [`k${index}`, `$@k${(index + 1) % MANY}`])],
    ['missing keys', many((index) => [`known${index}`, `$@missing${index}`])],
  ])('are resolved in linear time: %s', (_, values) => {
    expect(fastestRun(() => followed(values), 1_000)).toBeLessThan(1_000);
  });
});
