import type { OutputOf } from '../../../src/operations/operations';
import { clockText } from './format';

/** What a job logged, line by line. */
export function LogLines({ lines }: { readonly lines: readonly OutputOf<'runs.show'>['lines'][number][] }) {
  return (
    <ol class="log">
      {lines.map(({ at, level, message, data }, index) => (
        <li key={index} class={level}>
          <time dateTime={at}>{clockText(at)}</time> <span class="level">{level}</span> {message}
          {data !== null && <code> {JSON.stringify(data)}</code>}
        </li>
      ))}
    </ol>
  );
}
