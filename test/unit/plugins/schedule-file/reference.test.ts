import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseScheduleFile } from '../../../../src/plugins/schedule-file/parse-schedule-file';
import * as schemas from '../../../../src/plugins/schedule-file/schedule-file-schema';

const reference = readFileSync(join(__dirname, '../../../../docs/reference/schedule-file.md'), 'utf8');

/** Every key and every fixed value that a schedule file may have. */
function wordsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional) return wordsOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return wordsOf(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(wordsOf);
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, value]) => [key, ...wordsOf(value)]);
}

describe('the reference of schedule files', () => {
  it('shows examples that are right', async () => {
    const examples = [...reference.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text as string);
    const files = examples.filter((text) => !text.startsWith('plugin:'));
    expect(files).toHaveLength(5);
    for (const text of files) await parseScheduleFile(text, 'example.yaml', { timeZone: 'UTC', now: 0 });
  });

  it('has a word for every key and every value there is', () => {
    const words = [...new Set(Object.values(schemas).flatMap(wordsOf))];
    expect(words.length).toBeGreaterThan(70);
    expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(reference))).toEqual([]);
  });
});
