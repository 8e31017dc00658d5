import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { clock } from '../state/clock';
import { outage } from '../state/outage';
import { relativeTimeText, timeText } from './format';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

/** Badge that shows a state as a word with a colour. During an outage, a good state is grey, because it may be outdated. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  const shown = tone === 'good' && outage.value !== null ? 'quiet' : tone;
  return <span class={`badge ${shown}`}>{children}</span>;
}

const TONES: Readonly<Record<string, Tone>> = {
  WAITING: 'good',
  alive: 'good',
  succeeded: 'good',
  ACQUIRED: 'busy',
  EXECUTING: 'busy',
  running: 'busy',
  BLOCKED: 'warn',
  PAUSED_BLOCKED: 'warn',
  PAUSED: 'warn',
  draining: 'warn',
  'holding back': 'warn',
  'different data': 'warn',
  silent: 'bad',
  overdue: 'bad',
  backlog: 'warn',
  ERROR: 'bad',
  failed: 'bad',
  timedOut: 'bad',
  lost: 'bad',
  misfired: 'warn',
  interrupted: 'warn',
  handedOver: 'warn',
};

export function State({ of }: { readonly of: string }) {
  return <Badge tone={TONES[of] ?? 'quiet'}>{of.replaceAll('_', ' ').toLowerCase()}</Badge>;
}

/** Time in the chosen time zone, or `missing` if there is none. Hovering shows the relative time. */
export function Time({ at, missing = '–' }: { readonly at: string | null | undefined; readonly missing?: string }) {
  if (at === null || at === undefined) return <span class="faint">{missing}</span>;
  return (
    <time dateTime={at} title={at} class="number" onPointerEnter={showAge}>
      {timeText(at)}
    </time>
  );
}

/** Sets the relative time as the title on hover, so that a page with many times need not update them every second. */
function showAge({ currentTarget }: { readonly currentTarget: HTMLTimeElement }): void {
  const { dateTime } = currentTarget;
  currentTarget.title = `${relativeTimeText(dateTime, clock.peek())} · ${dateTime}`;
}

/** Relative time. Hovering shows the exact time. */
export function RelativeTime({
  at,
  missing = '–',
}: {
  readonly at: string | null | undefined;
  readonly missing?: string;
}) {
  if (at === null || at === undefined) return <span class="faint">{missing}</span>;
  return (
    <time dateTime={at} title={timeText(at)} class="number">
      {relativeTimeText(at, clock.value)}
    </time>
  );
}

/** Text that the user copies with a click. Over plain HTTP, browsers forbid copying, and the click only selects the text. */
export function Copyable({ text, label = text }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async ({ currentTarget }: Event) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection()?.selectAllChildren((currentTarget as HTMLElement).firstChild as Node);
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1_200);
  };
  return (
    <button type="button" class="copyable" title={`Copy ${text}`} onClick={copy}>
      <code>{label}</code>
      <span aria-live="polite">{isCopied ? ' copied' : ''}</span>
    </button>
  );
}

const INSTANT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** Sentence from the server, with its ISO-8601 times shown in the chosen time zone. */
export function Sentence({ children }: { readonly children: string }) {
  return <>{children.split(INSTANT).map((part, at) => (INSTANT.test(part) ? <Time key={at} at={part} /> : part))}</>;
}

export function ErrorMessage({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <div class="error-message" role="alert">
      {error.message}
    </div>
  );
}

export function Loading({ error }: { readonly error: Error | null }) {
  if (error !== null) return <ErrorMessage error={error} />;
  return (
    <p class="empty" aria-busy="true">
      Loading…
    </p>
  );
}

export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </section>
  );
}

export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Text in place of an empty list. It tells the user what the list would contain and how to add it. */
export function EmptyState({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Preformatted text. A long text scrolls within its own box, with the mouse or the keyboard. */
export function Preformatted({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable (axe: scrollable-region-focusable).
  return <pre tabIndex={0}>{text}</pre>;
}
