import { signal } from '@preact/signals';

/** Text for the confirmation before the user leaves the page, such as "Unsaved changes". Null if nothing would be lost. */
export const unsaved = signal<string | null>(null);

addEventListener('beforeunload', (event) => {
  if (unsaved.peek() !== null) event.preventDefault();
});
