import { signal } from '@preact/signals';

/** The server's time, once a second while the page is visible: ages and countdowns follow it. Epoch milliseconds. */
export const clock = signal(Date.now());

/** How far the server's clock is ahead of the browser's. Milliseconds. */
let offset = 0;
/** The `Date` header counts whole seconds, and an answer takes a while: a smaller difference may be none. Milliseconds. */
const MIN_OFFSET = 2_000;
const TICK = 1_000;

/** The server's time, which may not be the browser's. Epoch milliseconds. */
export function serverNow(): number {
  return Date.now() + offset;
}

/** Learns the server's time from an answer to a request that was sent at `sentAt` by the browser's clock. */
export function learnServerTime(response: Response, sentAt: number): void {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return;
  const difference = date + 500 - (sentAt + Date.now()) / 2;
  offset = Math.abs(difference) < MIN_OFFSET ? 0 : difference;
  clock.value = serverNow();
}

setInterval(() => {
  if (document.visibilityState === 'visible') clock.value = serverNow();
}, TICK);
document.addEventListener('visibilitychange', () => {
  clock.value = serverNow();
});
