import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ErrorMessage } from './basics';

interface Confirmation {
  readonly title: string;
  readonly body: ComponentChildren;
  /** Label of the confirming button: a verb, not "OK". */
  readonly confirmLabel: string;
  readonly isDestructive: boolean;
  /** Performs the action with the form fields of the dialog's body. */
  readonly act: (form: FormData) => Promise<unknown>;
}

const pending = signal<Confirmation | null>(null);

/** Opens a dialog that asks the user to confirm an action. If the action fails, the dialog shows the error and stays open. */
export function confirmAction(next: Confirmation): void {
  pending.value = next;
}

export function ConfirmationDialog() {
  const current = pending.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: Error | null }>({
    isBusy: false,
    error: null,
  });
  /** Closes only this confirmation, because another one may have been opened since. */
  const close = () => {
    if (pending.peek() === current) pending.value = null;
  };
  // Opens in a layout effect, before the browser paints, so a `close` event while it is open belongs to the previous confirmation.
  useLayoutEffect(() => {
    setState({ isBusy: false, error: null });
    if (current === null) dialog.current?.close();
    else dialog.current?.showModal();
  }, [current]);
  const act = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setState({ isBusy: true, error: null });
    try {
      await current?.act(form);
      close();
    } catch (error) {
      setState({ isBusy: false, error: error as Error });
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirmation"
      onClose={() => {
        // The browser sends this event after the dialog has closed, when the next confirmation may already be open.
        if (dialog.current?.open !== true) close();
      }}
    >
      {current !== null && (
        <form onSubmit={act}>
          <h2 id="confirmation">{current.title}</h2>
          <div>{current.body}</div>
          <ErrorMessage error={state.error} />
          <footer>
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" class={current.isDestructive ? 'danger' : 'primary'} disabled={state.isBusy}>
              {current.confirmLabel}
            </button>
          </footer>
        </form>
      )}
    </dialog>
  );
}
