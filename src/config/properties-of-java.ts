import type { JsonValue } from '../domain/job-data';
import { referenceIn } from './config-entries';
import { type Problem, textProblem } from './problem';
import { isProperties } from './read-document';
import { namesIn, quoted, type SourceDocument } from './source-document';

/* Differences between the `.properties` files of Java programs and complete configurations: keys of other programs, and defaults of Quartz. */

const PREFIX = 'org.quartz.';

/**
 * Removes the keys of other programs from a `.properties` file, in which every key of Quartz begins with `org.quartz.`, and empty values, which Quartz
 * treats as missing. Keeps keys without the prefix that the schema has, and values that `$@` refers to.
 */
export function quartzPart(source: SourceDocument, isKnown: (key: string) => boolean): SourceDocument {
  if (!isProperties(source.file)) return source;
  const values = Object.entries(source.data as Readonly<Record<string, JsonValue>>);
  const names = new Set(values.map(([key]) => key));
  if (!values.some(([key]) => key.startsWith(PREFIX))) return source;
  const referenced = new Set(values.map(([, value]) => referenceIn(value)));
  const isOwn = (key: string) =>
    key.startsWith(PREFIX) || (!names.has(PREFIX + key) && (isKnown(key) || referenced.has(key)));
  const others = values.map(([key]) => key).filter((key) => !isOwn(key));
  const data = Object.fromEntries(
    values.filter(([key, value]) => isOwn(key) && !(value === '' && key.startsWith(PREFIX))),
  );
  return { ...source, data, warnings: [...(source.warnings ?? []), ...othersWarning(others)] };
}

function othersWarning(keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  return [
    keys.length === 1
      ? `A key is ignored, because it does not begin with ${PREFIX}: ${namesIn(keys)}.`
      : `${keys.length} keys are ignored, because they do not begin with ${PREFIX}: ${namesIn(keys)}.`,
  ];
}

/** Returns the problem of a `.properties` file that contains only keys of other programs; null for any other file. */
export function foreignFileProblem({ file, data }: SourceDocument, sections: readonly string[]): Problem | null {
  if (!isProperties(file) || typeof data !== 'object' || data === null) return null;
  const keys = Object.keys(data);
  if (keys.some((key) => key.startsWith(PREFIX) || sections.includes(key.split('.')[0] ?? ''))) return null;
  const near = keys.find((key) => quartzKeyIn(key, sections) !== null);
  const hint = near === undefined ? '' : `; write ${quoted(quartzKeyIn(near, sections) ?? '')} for ${quoted(near)}`;
  return textProblem(
    file,
    null,
    `expected keys of Quartz, such as '${PREFIX}threadPool.threadCount', found only other keys (${namesIn(keys)})${hint}`,
  );
}

/** Returns the key of Quartz that a key with other parts before it contains, such as one of Spring Boot or Quartz.NET; null if it contains none. */
function quartzKeyIn(key: string, sections: readonly string[]): string | null {
  const parts = key.split('.');
  const at = parts.findIndex((part, index) => parts[index - 1] === 'quartz' && sections.includes(part));
  return at === -1 ? null : PREFIX + parts.slice(at).join('.');
}
