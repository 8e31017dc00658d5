import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
/** Time zone: `UTC`, `local` for the browser's, or an IANA name. */
export type Zone = string;

function stored(key: string, fallback: string): string {
  try {
    return localStorage.getItem(`quartz.${key}`) ?? fallback;
  } catch {
    return fallback; // the browser blocks storage
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`quartz.${key}`, value);
  } catch {
    // the setting lasts only until the page is closed
  }
}

export const theme = signal<Theme>(stored('theme', 'system') as Theme);
export const zone = signal<Zone>(stored('zone', 'local'));
/** True while the user wants the page to refresh. The button "Live" toggles it. */
export const isLive = signal(true);

effect(() => {
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme.value;
  keep('theme', theme.value);
});
effect(() => keep('zone', zone.value));
