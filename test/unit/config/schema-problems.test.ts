import { z } from 'zod';
import { formatProblem } from '../../../src/config/problem';
import { readYaml } from '../../../src/config/read-yaml';
import { checkDocument, describeValue } from '../../../src/config/schema-problems';
import { textLike } from '../../../src/config/schema-values';

const shape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('circle'), radius: z.number().positive() }),
  z.strictObject({ kind: z.literal('square'), width: z.int().max(10), label: z.string().optional() }),
]);
const schema = z.strictObject({
  name: z.string().min(1).max(5),
  zone: z
    .string()
    .refine((zone) => zone === 'UTC', { error: 'the zone UTC' })
    .optional(),
  when: z.union([z.string(), z.number()]).optional(),
  level: z.enum(['low', 'high']).optional(),
  shapes: z.array(shape).min(1).optional(),
  named: z.record(z.string().max(3), z.boolean()).optional(),
  either: z.union([z.string(), z.strictObject({ cron: z.string(), dialect: z.enum(['unix', 'quartz']) })]).optional(),
  dbPassword: z.string().min(100).optional(),
  marked: textLike(/^a/, 'a word with a').optional(),
});

function problems(text: string): readonly string[] {
  const checked = checkDocument(readYaml(text, 'f.yaml'), schema);
  return checked.ok ? [] : checked.problems.map(formatProblem);
}

it('checkDocument returns the output of the schema for a valid document', () => {
  expect(checkDocument(readYaml('name: a', 'f.yaml'), schema)).toEqual({ ok: true, value: { name: 'a' } });
});

it.each([
  ['name: 5', 'f.yaml:1:7 name: expected a string, found 5'],
  ['name: abcdef', "f.yaml:1:7 name: expected a string of at most 5 characters, found 'abcdef'"],
  ["name: ''", 'f.yaml:1:7 name: expected a non-empty string, found an empty string'],
  ['{}', 'f.yaml:1:1 name: expected a string, found nothing'],
  ['name: a\nzone: x', "f.yaml:2:7 zone: expected the zone UTC, found 'x'"],
  ['name: a\nwhen: [1]', 'f.yaml:2:7 when: expected a string or a number, found a list'],
  ['name: a\nlevel: hihg', "f.yaml:2:8 level: expected one of low, high, found 'hihg'; did you mean 'high'?"],
  ['name: a\nmarked: b', "f.yaml:2:9 marked: expected a word with a, found 'b'"],
  ['name: a\nshapes: []', 'f.yaml:2:9 shapes: expected a non-empty list, found an empty list'],
  ['name: a\nshapes: {}', 'f.yaml:2:9 shapes: expected a list, found a map of keys'],
  [
    'name: a\nshapes:\n  - kind: circel',
    "f.yaml:3:11 shapes[0].kind: expected one of circle, square, found 'circel'; did you mean 'circle'?",
  ],
  [
    'name: a\nshapes:\n  - kind: circle\n    radius: 0',
    'f.yaml:4:13 shapes[0].radius: expected a number of more than 0, found 0',
  ],
  [
    'name: a\nshapes:\n  - kind: circle\n    radius: 1\n    radios: 2',
    "f.yaml:5:5 shapes[0].radios: expected one of the keys kind, radius, found 'radios'; did you mean 'radius'?",
  ],
  [
    'name: a\nshapes:\n  - kind: square\n    width: 1.5',
    'f.yaml:4:12 shapes[0].width: expected a whole number, found 1.5',
  ],
  [
    'name: a\nnamed: {abcd: true}',
    "f.yaml:2:9 named.abcd: expected the key to be a string of at most 3 characters, found 'abcd'",
  ],
  ['name: a\neither: {cron: x, dialect: y}', "f.yaml:2:28 either.dialect: expected one of unix, quartz, found 'y'"],
  ['name: a\neither: 5', 'f.yaml:2:9 either: expected a string or a map of keys, found 5'],
  [
    'name: a\ndbPassword: hunter2',
    'f.yaml:2:13 dbPassword: expected a string of at least 100 characters, found another value (hidden)',
  ],
  [
    'name: a\nLevel: low',
    "f.yaml:2:1 Level: expected one of the keys name, zone, when, level, shapes, named, either, dbPassword, marked, found 'Level'; did you mean 'level'?",
  ],
  ['[1]', 'f.yaml:1:1: expected a map of keys, found a list'],
])('checkDocument reports position, expected and found value for %j', (text, message) => {
  expect(problems(text)).toEqual([message]);
});

it('checkDocument reports all problems at once', () => {
  expect(problems('name: 5\nlevel: x\nshapes: [{kind: circle}]\nother: 1')).toHaveLength(4);
});

it.each([
  ['mysql://root:hunter2@db/x', "'mysql://***@db/x'"],
  ['jdbc:mysql://db/x?user=me&password=hunter2', "'jdbc:mysql://db/x?user=me&password=***'"],
  ['x'.repeat(100_000), `'${'x'.repeat(57)}...'`],
  ['a\nb\u001b[31m', "'a\ufffdb\ufffd[31m'"],
  [undefined, 'nothing'],
  [() => 1, 'a function'],
])('describeValue shows %p in one line, without secrets or control characters', (value, shown) => {
  expect(describeValue(value)).toBe(shown);
});
