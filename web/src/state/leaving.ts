import { signal } from '@preact/signals';

/** Why the page must not be left without a question, such as "Unsaved changes"; null: nothing would be lost. */
export const unsaved = signal<string | null>(null);

addEventListener('beforeunload', (event) => {
  if (unsaved.peek() !== null) event.preventDefault();
});
