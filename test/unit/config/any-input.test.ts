import fc from 'fast-check';
import { ConfigurationError } from '../../../src/config/problem';
import { parseDocument } from '../../../src/config/read-document';
import { readYaml } from '../../../src/config/read-yaml';
import { resolveDocument } from '../../../src/config/resolve-config';
import { dataDocument, type SourceDocument } from '../../../src/config/source-document';
import { runsOf } from '../../support/long-forms';

/** Runs the property; `SEED=…` repeats a failure. */
const check = (property: fc.IAsyncProperty<[string]> | fc.IAsyncProperty<[unknown]>) =>
  fc.assert(property as fc.IAsyncProperty<unknown>, {
    numRuns: runsOf(400),
    seed: Number(process.env.SEED ?? 20_261_120),
  });

/** True if reading succeeds, or fails with an error of this library that names a position. */
async function isAnswered(read: () => SourceDocument | Promise<SourceDocument>): Promise<boolean> {
  try {
    resolveDocument(await read(), {});
    return true;
  } catch (error) {
    return error instanceof ConfigurationError && error.problems.length > 0 && error.message !== '';
  }
}

const yamlish = fc
  .array(
    fc.constantFrom(
      'scheduler',
      'threadPool',
      'org.quartz.',
      ': ',
      '- ',
      '\n',
      '  ',
      '\t',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '|',
      '>',
      '!x ',
      '? ',
      '#',
      '${X',
      '$@',
      'é',
      '5',
      '~',
      '<<',
      '__proto__',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

it('any text read as YAML results in a configuration or a configuration error', async () => {
  await check(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), yamlish), (text) =>
      isAnswered(() => readYaml(text, 'x.yaml')),
    ),
  );
});

it('any text read as .properties results in a configuration or a configuration error', async () => {
  await check(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), yamlish), (text) =>
      isAnswered(() => parseDocument(text, 'x.properties')),
    ),
  );
});

it('any object results in a configuration or a configuration error', async () => {
  const known = fc.constantFrom(
    'scheduler',
    'threadPool',
    'jobStore',
    'plugin',
    'class',
    'key',
    'context',
    '__proto__',
  );
  const anything = fc.object({ key: fc.oneof(known, fc.string()), maxDepth: 4, withNullPrototype: true });
  await check(fc.asyncProperty(anything, (data) => isAnswered(() => dataDocument('configuration', data as never))));
});
