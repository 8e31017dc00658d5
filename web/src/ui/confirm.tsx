import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Trouble } from './basics';

interface Question {
  readonly title: string;
  readonly body: ComponentChildren;
  /** What the button says: the deed, not "OK". */
  readonly deed: string;
  readonly isDestructive: boolean;
  /** Given what was filled into the fields of the body. */
  readonly act: (said: FormData) => Promise<unknown>;
}

const question = signal<Question | null>(null);

/** Asks before something is done. What fails is told in the same place. */
export function ask(next: Question): void {
  question.value = next;
}

export function Confirmation() {
  const current = question.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: Error | null }>({
    isBusy: false,
    error: null,
  });
  /** Takes back this question alone: another may have been asked meanwhile. */
  const withdraw = () => {
    if (question.peek() === current) question.value = null;
  };
  // Before anything else runs: a question that is drawn is open, which tells its own close event from a late one.
  useLayoutEffect(() => {
    setState({ isBusy: false, error: null });
    if (current === null) dialog.current?.close();
    else dialog.current?.showModal();
  }, [current]);
  const act = async (event: SubmitEvent) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    setState({ isBusy: true, error: null });
    try {
      await current?.act(said);
      withdraw();
    } catch (error) {
      setState({ isBusy: false, error: error as Error });
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="question"
      onClose={() => {
        // The event comes after the dialog has closed, by when the next question may be open.
        if (dialog.current?.open !== true) withdraw();
      }}
    >
      {current !== null && (
        <form onSubmit={act}>
          <h2 id="question">{current.title}</h2>
          <div>{current.body}</div>
          <Trouble error={state.error} />
          <footer>
            <button type="button" onClick={withdraw}>
              Cancel
            </button>
            <button type="submit" class={current.isDestructive ? 'danger' : 'primary'} disabled={state.isBusy}>
              {current.deed}
            </button>
          </footer>
        </form>
      )}
    </dialog>
  );
}
