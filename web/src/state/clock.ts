import { signal } from '@preact/signals';

/** Server's time, updated once a second while the page is visible. Relative times follow it. Epoch milliseconds. */
export const clock = signal(Date.now());

/** Difference of the server's clock to the browser's. Milliseconds. */
let offset = 0;
/** Smallest difference that counts: the `Date` header has whole seconds, and an answer takes time. Milliseconds. */
const MIN_OFFSET = 2_000;
const TICK = 1_000;

/** Returns the server's time, which may differ from the browser's. Epoch milliseconds. */
export function serverNow(): number {
  return Date.now() + offset;
}

/** Reads the server's time from the response to a request that was sent at `sentAt` by the browser's clock. */
export function updateServerTime(response: Response, sentAt: number): void {
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
