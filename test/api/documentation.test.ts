import { join } from 'node:path';
import { ERROR_CODES, type Scheduler } from '../../src';
import { PROBLEM_CODES } from '../../src/operations/problem';
import { freshDist } from '../support/fresh-dist';
import { codeOf, shutdownAll, testScheduler } from '../unit/scheduler/support';
import { type PublicMember, publicMembers } from './public-members';

/** Words that give the size of a number: a unit, a bound, a default, or that it is a count. */
const MEASURE = /\d|\b(milli)?seconds\b|\bper minute\b|\b(maximum )?number of\b|\bcount\b|\bwhole\b/i;

const IS_METHOD = /^Scheduler\.\w+$/;

/** Number of arguments of the methods whose last parameters depend on a type. */
const MAX_ARGUMENTS = 3;

describe('documentation of the public API', () => {
  let members: readonly PublicMember[];

  beforeAll(() => {
    members = publicMembers(
      ['index.d.ts', 'testing.d.ts', 'console.d.ts', 'opentelemetry.d.ts'].map((entry) => join(freshDist(), entry)),
    );
  }, 60_000);

  const namesOf = (wrong: (member: PublicMember) => boolean) => members.filter(wrong).map(({ name }) => name);

  it('describes every name and member', () => {
    expect(members.length).toBeGreaterThan(500);
    expect(namesOf(({ text }) => text === '')).toEqual([]);
  });

  it('gives a unit, a bound, a default or a count for every number', () => {
    expect(members.filter(({ hasNumber }) => hasNumber).length).toBeGreaterThan(50);
    expect(namesOf(({ hasNumber, text }) => hasNumber && !MEASURE.test(text))).toEqual([]);
  });

  it('names only existing error codes', () => {
    const named = members.flatMap(({ name, text }) => codesIn(text).map((code) => ({ name, code })));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ code }) => !Object.hasOwn({ ...ERROR_CODES, ...PROBLEM_CODES }, code))).toEqual([]);
  });

  describe('for methods of the scheduler', () => {
    afterEach(shutdownAll);

    const methods = () => members.filter(({ name, isAsync }) => isAsync && IS_METHOD.test(name));
    const argumentsOf = ({ parameters }: PublicMember) =>
      Array.from({ length: parameters.at(-1)?.startsWith('...') ? MAX_ARGUMENTS : parameters.length });
    const call = (scheduler: Scheduler, { name }: PublicMember, ...given: readonly unknown[]) =>
      (scheduler as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[
        name.slice('Scheduler.'.length)
      ]?.(...given);

    it('names the codes with which each asynchronous method rejects', () => {
      expect(methods().length).toBeGreaterThan(40);
      const isSilent = ({ text }: { readonly text: string }) =>
        codesIn(text).length === 0 && !text.includes('Never rejects');
      expect(methods().filter(isSilent)).toEqual([]);
    });

    it('belongs to a method that refuses extra arguments', async () => {
      const { scheduler } = await testScheduler();
      for (const method of members.filter(({ name }) => IS_METHOD.test(name))) {
        const refused = () => call(scheduler, method, ...argumentsOf(method), 'extra');
        if (method.isAsync) await expect(refused()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
        else expect(refused).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
      }
    });

    it('includes the code with which a method refuses invalid arguments', async () => {
      const { scheduler } = await testScheduler();
      for (const method of methods().filter(({ name }) => !/shutdown|clear/.test(name))) {
        const code = await codeOf(() => call(scheduler, method, ...argumentsOf(method).map(() => 5)));
        if (code !== 'no error') expect([method.name, ...codesOf(method)]).toContain(code);
      }
    });

    it('includes SCHEDULER_STATE for each method that rejects after shutdown', async () => {
      const { scheduler } = await testScheduler();
      await scheduler.shutdown();
      const key = { group: 'g', name: 'n' };
      const isRefused = await Promise.all(
        methods().map(async (method) => [method, await codeOf(() => call(scheduler, method, key))] as const),
      );
      const refused = isRefused.filter(([, code]) => code === 'SCHEDULER_STATE').map(([method]) => method);
      expect(refused.length).toBeGreaterThan(20);
      expect(refused.filter((method) => !codesOf(method).includes('SCHEDULER_STATE'))).toEqual([]);
    });

    /** Error codes in the documentation of a method, and of the method to which it refers. */
    const codesOf = ({ text }: PublicMember): readonly string[] => {
      const other = /codes of `(\w+)`/.exec(text)?.[1];
      const more = members.find(({ name }) => name === `Scheduler.${other}`);
      return [...codesIn(text), ...(more === undefined ? [] : codesIn(more.text))];
    };
  });
});

/** Error codes after `Throws` or `Rejects with`, up to the end of the sentence. */
function codesIn(text: string): readonly string[] {
  const sentences = text.match(/\b(throws|rejects\s+with)\b[^.]*/gi) ?? [];
  return sentences.flatMap((sentence) => sentence.match(/\b[A-Z]+(_[A-Z]+)+\b|\bCONFIGURATION\b/g) ?? []);
}
