import { ROUTES } from 'quartz-ts:routes';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OperationName } from '../../../src/operations/operations';
import { may } from '../state/session';
import { ErrorMessage } from './basics';

/** True if the role of the user allows the operation. The server checks again. */
export function mayRun(name: OperationName): boolean {
  return may(ROUTES[name].role);
}

interface ActionButtonProps {
  /** Hides the button from users whose role does not allow the operation. */
  readonly operation: OperationName;
  readonly act: () => unknown;
  readonly isPrimary?: boolean;
  readonly children: ComponentChildren;
}

/** Button for an operation. Its error is shown next to it. */
export function ActionButton({ operation, act, isPrimary = false, children }: ActionButtonProps) {
  const [error, setError] = useState<Error | null>(null);
  if (!mayRun(operation)) return null;
  const run = async () => {
    setError(null);
    try {
      await act();
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : ''} onClick={run}>
        {children}
      </button>
      <ErrorMessage error={error} />
    </>
  );
}
