import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { clock } from '../state/clock';
import { outage } from '../state/outage';
import { awayText, timeText } from './format';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

/** What something is, in a word and a colour: never by colour alone. Nothing is shown as good while nothing is known. */
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
  silent: 'bad',
  overdue: 'bad',
  backlog: 'warn',
  ERROR: 'bad',
  failed: 'bad',
  timedOut: 'bad',
  lost: 'bad',
  misfired: 'warn',
  interrupted: 'warn',
};

/** A state or an outcome by its own name. */
export function State({ of }: { readonly of: string }) {
  return <Badge tone={TONES[of] ?? 'quiet'}>{of.replaceAll('_', ' ').toLowerCase()}</Badge>;
}

/** An instant in the chosen zone; how far away it is on hover. */
export function Time({ at, missing = '–' }: { readonly at: string | null | undefined; readonly missing?: string }) {
  if (at === null || at === undefined) return <span class="faint">{missing}</span>;
  return (
    <time dateTime={at} title={at} class="number" onPointerEnter={showAge}>
      {timeText(at)}
    </time>
  );
}

/** On hover, so that a page of instants does not follow the clock. */
function showAge({ currentTarget }: { readonly currentTarget: HTMLTimeElement }): void {
  const { dateTime } = currentTarget;
  currentTarget.title = `${awayText(dateTime, clock.peek())} · ${dateTime}`;
}

/** How far away an instant is; when exactly on hover. */
export function Away({ at, missing = '–' }: { readonly at: string | null | undefined; readonly missing?: string }) {
  if (at === null || at === undefined) return <span class="faint">{missing}</span>;
  return (
    <time dateTime={at} title={timeText(at)} class="number">
      {awayText(at, clock.value)}
    </time>
  );
}

/** An id that can be copied with one click; where the browser lets no page copy (over plain HTTP), the click marks it. */
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

/** A sentence of the server, its instants shown in the chosen zone. */
export function Sentence({ children }: { readonly children: string }) {
  return <>{children.split(INSTANT).map((part, at) => (INSTANT.test(part) ? <Time key={at} at={part} /> : part))}</>;
}

/** What went wrong, in the server's words. */
export function Trouble({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <div class="trouble" role="alert">
      {error.message}
    </div>
  );
}

/** In the place of what has not been answered yet. */
export function Waiting({ error }: { readonly error: Error | null }) {
  if (error !== null) return <Trouble error={error} />;
  return (
    <p class="nothing" aria-busy="true">
      Loading…
    </p>
  );
}

/** A part of a page under a heading. */
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

/** Names and what they say. */
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

/** Where there is nothing, and what one could do. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}

/** Text as it is. A long one scrolls in its own box, which keys reach too. */
export function Preformatted({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus (axe: scrollable-region-focusable).
  return <pre tabIndex={0}>{text}</pre>;
}
