import { useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { EmptyState } from './basics';
import { clockText, countText } from './format';

type Line = OutputOf<'runs.show'>['lines'][number];

interface LogLinesProps {
  readonly lines: readonly Line[];
  readonly missed: number;
  /** Reason for missing lines, such as "a run keeps only its newest 64 kB". */
  readonly missedBecause: string;
  readonly fileName: string;
}

export function LogLines({ lines, missed, missedBecause, fileName }: LogLinesProps) {
  const [text, setText] = useState('');
  const [isWrapped, setWrapped] = useState(true);
  const found = text === '' ? lines : lines.filter((line) => lineText(line).toLowerCase().includes(text.toLowerCase()));
  const whole = () => found.map(lineText).join('\n');
  return (
    <>
      <search class="filters log-tools">
        <input
          type="search"
          aria-label="Search log"
          placeholder="Search log"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <span class="faint" aria-live="polite">
          {countText(found.length)} {found.length === lines.length ? '' : `of ${countText(lines.length)} `}
          {lines.length === 1 ? 'line' : 'lines'}
        </span>
        <button type="button" aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
          Wrap
        </button>
        <CopyButton text={whole} />
        <button type="button" onClick={() => save(whole(), fileName)}>
          Download
        </button>
      </search>
      {missed > 0 && (
        <p class="empty">
          {countText(missed)} earlier {missed === 1 ? 'line' : 'lines'} not shown: {missedBecause}.
        </p>
      )}
      {found.length === 0 && lines.length > 0 && (
        <EmptyState>No matching lines. Change the search to see others.</EmptyState>
      )}
      <ol class={isWrapped ? 'log' : 'log unwrapped'}>
        {found.map(({ at, level, message, data }, index) => (
          <li key={index} class={level}>
            <time dateTime={at}>{clockText(at)}</time> <span class="level">{level}</span> {message}
            {data !== null && <code> {JSON.stringify(data)}</code>}
          </li>
        ))}
      </ol>
    </>
  );
}

function lineText({ at, level, message, data }: Line): string {
  return `${at} ${level.padEnd(5)} ${message}${data === null ? '' : ` ${JSON.stringify(data)}`}`;
}

function CopyButton({ text }: { readonly text: () => string }) {
  const [label, setLabel] = useState('Copy');
  const copy = async () => {
    // Browsers forbid copying over plain HTTP.
    setLabel(
      await navigator.clipboard.writeText(text()).then(
        () => 'Copied',
        () => 'Copy failed',
      ),
    );
    setTimeout(() => setLabel('Copy'), 1_200);
  };
  return (
    <button type="button" onClick={copy}>
      {label}
    </button>
  );
}

function save(text: string, fileName: string): void {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: fileName });
  link.click();
  URL.revokeObjectURL(address);
}
