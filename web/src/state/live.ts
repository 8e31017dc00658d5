import { computed, effect, signal } from '@preact/signals';
import { heard, outage } from './outage';
import { scheduler, session } from './session';
import { isLive } from './settings';

/** Grows whenever something may have changed: what is shown is asked for again. */
export const tick = signal(0);
/** `open`: changes are told; `lost`: the server does not answer. */
export const connection = signal<'closed' | 'open' | 'lost'>('closed');

const isVisible = signal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible';
});

/** A hidden page asks for nothing. */
export const isWatching = computed(() => isLive.value && isVisible.value && Boolean(session.value));
const wanted = computed(() => (isWatching.value ? scheduler.value : null));

/** So many changes are told at once, or so few: the page looks again this often at the most. Milliseconds. */
const LOOK_AT_MOST_EVERY = 1_000;
/** As long as nobody tells when to look. */
const LOOK_UNTOLD_EVERY = 5_000;

let willLook: ReturnType<typeof setTimeout> | null = null;
function look(): void {
  willLook ??= setTimeout(() => {
    willLook = null;
    tick.value++;
  }, LOOK_AT_MOST_EVERY);
}

function lookNoMore(): void {
  if (willLook !== null) clearTimeout(willLook);
  willLook = null;
}

effect(() => {
  const name = wanted.value;
  if (name === null || name === '') return;
  tick.value = tick.peek() + 1;
  const source = new EventSource(`api/schedulers/${encodeURIComponent(name)}/events`);
  source.onopen = () => {
    connection.value = 'open';
    look();
  };
  source.onerror = () => {
    connection.value = 'lost';
  };
  const hear = () => {
    heard();
    look();
  };
  source.onmessage = hear;
  source.addEventListener('changed', hear);
  source.addEventListener('time', hear);
  const isTold = () => connection.peek() === 'open' && outage.peek() === null;
  const regularly = setInterval(() => isTold() || look(), LOOK_UNTOLD_EVERY);
  return () => {
    source.close();
    clearInterval(regularly);
    lookNoMore();
    connection.value = 'closed';
  };
});
