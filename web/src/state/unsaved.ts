import { signal } from '@preact/signals';

/** Text for the confirmation before the page is left, such as "Unsaved changes". Null if nothing would be lost. */
export const unsaved = signal<string | null>(null);

addEventListener('beforeunload', (event) => {
  if (unsaved.peek() !== null) event.preventDefault();
});
