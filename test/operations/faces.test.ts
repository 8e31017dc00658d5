import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { OPERATIONS, type OperationName } from '../../src/operations/operations';
import { IS_LONG } from '../support/long-forms';
import { CASES, REFUSED } from './faces/cases';
import type { Case } from './faces/cases/case';
import { LIVE, type LiveCase, NODE } from './faces/cases/live';
import type { Answer } from './faces/faces';
import { type Furnished, furnish, RETURNED } from './faces/furnished';
import { type Contents, contentsOf, plain } from './faces/plain';
import { FACES, type FaceName, openWorld, VIA, type World } from './faces/worlds';

/*
 * An operation is the same through each interface: the same input has the same result, the same stored data, and the same problem if it is
 * refused.
 */

const NAMES = Object.keys(OPERATIONS) as readonly OperationName[];
/** Operations whose refusal is tested. Refusals share code, so the short form tries every third operation. */
const REFUSABLE = NAMES.filter((_, index) => IS_LONG || index % 3 === 0);
const STORED = Object.keys(CASES) as readonly (keyof typeof CASES)[];
const READING = STORED.filter((name) => OPERATIONS[name].effect === 'reads');
const CHANGING = STORED.filter((name) => OPERATIONS[name].effect !== 'reads');

let folder: string;
let furnished: Furnished;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quartz-ts-faces-'));
  furnished = await furnish(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every operation has a case in test/operations/faces/cases', () => {
  expect([...STORED, ...Object.keys(LIVE)].sort()).toEqual([...NAMES].sort());
});

/** Changes without a control on the page, with the reason. */
const NOT_IN_THE_PAGE: Readonly<Partial<Record<OperationName, string>>> = {
  'rules.set': 'the node that serves the page lives, and refuses it',
};

test('every change has a control on the page, or a documented reason why it has none', () => {
  const folder = resolve(__dirname, '../../web/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const code = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const changing = NAMES.filter((name) => OPERATIONS[name].effect !== 'reads');
  const missing = changing.filter((name) => !code.includes(`call('${name}'`));
  expect(missing.sort()).toEqual(Object.keys(NOT_IN_THE_PAGE).sort());
});

const inputOf = ({ input }: Case) => (typeof input === 'function' ? input(furnished.known) : input);

/** The tables. In new rows, `<via>` replaces the name of the interface through which they were declared. */
function withoutVia({ tables }: Contents, before: Contents, face: FaceName): unknown {
  const known = new Set(Object.values(before.tables).flatMap((rows) => rows.map((row) => JSON.stringify(row))));
  const rowOf = (row: unknown) => {
    const { OWNER: owner, ...others } = row as Readonly<Record<string, unknown>>;
    if (typeof owner !== 'string' || known.has(JSON.stringify(row))) return row;
    return { ...others, OWNER: owner.replace(`{"kind":"${VIA[face]}"`, '{"kind":"<via>"') };
  };
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(rowOf)]));
}

/** The output, without the fields that only a program with a console can fill. */
function outputOf(answer: Answer, left: readonly string[] = []): unknown {
  if (!('output' in answer)) throw new Error(`Expected an output, found ${JSON.stringify(answer)}.`);
  const isOwn = (each: { readonly id?: unknown } | null) => left.includes(String(each?.id));
  const entries = Object.entries(answer.output as object)
    .filter(([name]) => !left.includes(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.filter((each) => !isOwn(each)) : value]);
  return plain(Object.fromEntries(entries));
}

describe('operations on an active store', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(folder, furnished.atWork);
  });

  afterAll(() => world.close());

  test.each(READING)('%s returns the same through every interface', async (name) => {
    const each: Case = CASES[name];
    const answers: Answer[] = [];
    for (const face of FACES) answers.push(await world.faces[face](name, inputOf(each)));
    const [command, ...served] = answers as [Answer, Answer, ...Answer[]];
    expect(command).toMatchObject({ output: each.answers });
    expect(outputOf(command, each.ofAnswerer)).toEqual(outputOf(served[0], each.ofAnswerer));
    for (const [index, answer] of served.entries())
      expect([FACES[index + 1], outputOf(answer)]).toEqual([FACES[index + 1], outputOf(served[0])]);
  });

  test.each(REFUSABLE)('%s is refused in the same way through every interface', async (name) => {
    const { input, code } = REFUSED[name] as Case['refused'];
    const before = contentsOf(world.file).tables;
    const found: [FaceName, Answer][] = [];
    for (const face of FACES) found.push([face, await world.faces[face](name, input as never)]);
    const [, last] = found.at(-1) as [FaceName, Answer];
    const fields = 'fields' in last ? last.fields : null;
    for (const [face, answer] of found) {
      const isParsers = face.startsWith('command') && 'fields' in answer && answer.fields === null;
      expect([face, answer]).toEqual([face, { code, fields: isParsers ? null : fields }]);
    }
    expect(contentsOf(world.file).tables).toEqual(before);
  });

  test('the result of a job is shown with its run through every interface', async () => {
    const shown = { output: { outcome: 'succeeded', result: RETURNED, resultOmitted: null } };
    for (const face of FACES)
      expect([face, await world.faces[face]('runs.show', { runId: furnished.known.returned })]).toMatchObject([
        face,
        shown,
      ]);
  });

  test.each(REFUSABLE)('%s is refused for lower roles through every interface', async (name) => {
    const input = name in CASES ? inputOf(CASES[name as keyof typeof CASES]) : REFUSED[name]?.input;
    const isForAll = OPERATIONS[name].role === 'viewer';
    const [asked, code] = isForAll ? [world.strangers, 'UNAUTHENTICATED'] : [world.lookers, 'FORBIDDEN'];
    for (const [face, ask] of Object.entries(asked)) {
      expect([face, await ask(name, input as never)]).toEqual([face, { code, fields: [] }]);
    }
  });
});

describe('operations on an idle store', () => {
  test.each(CHANGING)('%s returns and stores the same through every interface', async (name) => {
    const each: Case = CASES[name];
    const from = each.needsNodes ? furnished.atWork : furnished.atRest;
    const before = contentsOf(from);
    const found: { readonly face: FaceName; readonly answer: Answer; readonly after: ReturnType<typeof contentsOf> }[] =
      [];
    for (const face of FACES) {
      const world = await openWorld(folder, from);
      const answer = await world.faces[face](name, inputOf(each));
      found.push({ face, answer, after: contentsOf(world.file) });
      await world.close();
    }
    const [first, ...others] = found as [(typeof found)[number], ...typeof found];
    expect(first.answer).toMatchObject({ output: each.answers });
    expect(isDeepStrictEqual(first.after.tables, before.tables)).toBe(each.changesNothing ?? false);
    for (const { face, answer, after } of others) {
      expect([face, outputOf(answer)]).toEqual([face, outputOf(first.answer)]);
      expect([face, withoutVia(after, before, face)]).toEqual([face, withoutVia(first.after, before, first.face)]);
    }
    const recorded = found.map(({ after }) => after.actions.at(-1));
    expect(recorded.map((action) => action?.VIA)).toEqual(FACES.map((face) => VIA[face]));
    const done = recorded.map((action) => ({ ...action, ID: '', VIA: '', ADDRESS: '' }));
    for (const action of done) expect(plain(action)).toEqual(plain(done[0]));
    expect(done[0]).toMatchObject({ OPERATION: name });
  });
});

describe('operations on a running node', () => {
  const found = new Map<string, Partial<Record<FaceName, { readonly answer: Answer; readonly effect: unknown }>>>();

  beforeAll(async () => {
    for (const face of FACES) {
      const world = await openWorld(folder, furnished.atRest, NODE);
      await world.scheduler.start();
      for (const [name, each] of Object.entries(LIVE) as [OperationName, LiveCase][]) {
        const input = await each.input(world.scheduler);
        const answer = await world.faces[face](name, input as never);
        found.set(name, { ...found.get(name), [face]: { answer, effect: await each.effect(world.scheduler) } });
      }
      await world.close();
    }
  });

  test.each(Object.entries(LIVE))('%s has the same effect through every interface', (name, { answers }) => {
    const first = found.get(name)?.command;
    expect(first?.answer).toMatchObject({ output: answers });
    expect(found.get(name)).toEqual(Object.fromEntries(FACES.map((face) => [face, first])));
  });
});
