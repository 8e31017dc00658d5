import { computed, effect, signal } from '@preact/signals';
import { noteEvent, outage } from './outage';
import { scheduler, session } from './session';
import { isLive } from './settings';

/** Counter that is incremented when data may have changed. Live operations then fetch their data again. */
export const tick = signal(0);
/** State of the event stream. `closed`: the page is not following the cluster. `lost`: the connection failed, and the browser retries it. */
export const connection = signal<'closed' | 'open' | 'lost'>('closed');

const isVisible = signal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible';
});

/** True while the page follows the cluster. False for a hidden page, which fetches nothing. */
export const isWatching = computed(() => isLive.value && isVisible.value && Boolean(session.value));
const watchedScheduler = computed(() => (isWatching.value ? scheduler.value : null));

/** Minimum interval between two refreshes in milliseconds, however many events arrive. */
const MIN_REFRESH_INTERVAL = 1_000;
/** Interval between refreshes without a working event stream, in milliseconds. */
const POLL_INTERVAL = 5_000;

let pendingRefresh: ReturnType<typeof setTimeout> | null = null;
function refresh(): void {
  pendingRefresh ??= setTimeout(() => {
    pendingRefresh = null;
    tick.value++;
  }, MIN_REFRESH_INTERVAL);
}

function cancelRefresh(): void {
  if (pendingRefresh !== null) clearTimeout(pendingRefresh);
  pendingRefresh = null;
}

effect(() => {
  const name = watchedScheduler.value;
  if (name === null || name === '') return;
  tick.value = tick.peek() + 1;
  const source = new EventSource(`api/schedulers/${encodeURIComponent(name)}/events`);
  source.onopen = () => {
    connection.value = 'open';
    refresh();
  };
  source.onerror = () => {
    connection.value = 'lost';
  };
  const onEvent = () => {
    noteEvent();
    refresh();
  };
  source.onmessage = onEvent;
  source.addEventListener('changed', onEvent);
  source.addEventListener('time', onEvent);
  const isStreaming = () => connection.peek() === 'open' && outage.peek() === null;
  const poll = setInterval(() => isStreaming() || refresh(), POLL_INTERVAL);
  return () => {
    source.close();
    clearInterval(poll);
    cancelRefresh();
    connection.value = 'closed';
  };
});
