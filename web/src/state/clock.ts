import { signal } from '@preact/signals';

/** Server's time in epoch milliseconds. Updated once a second while the page is visible, so that relative times advance. */
export const clock = signal(Date.now());

/** Server's clock minus the browser's, in milliseconds. */
let offset = 0;
/** Minimum difference to correct, in milliseconds. Less cannot be measured: the `Date` header has whole seconds, and responses take time. */
const MIN_OFFSET = 2_000;
const TICK = 1_000;

/** Returns the server's time in epoch milliseconds. The browser's clock may differ from it. */
export function serverNow(): number {
  return Date.now() + offset;
}

/** Updates the server's time from a response's `Date` header. `sentAt`: time of the request by the browser's clock, in epoch milliseconds. */
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
