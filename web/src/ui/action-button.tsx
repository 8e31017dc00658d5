import { ROUTES } from 'quartz-ts:routes';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OperationName } from '../../../src/operations/operations';
import { may } from '../state/session';
import { ErrorMessage } from './basics';

/** Returns true if the user's role allows the operation. The server checks the role too. */
export function mayRun(name: OperationName): boolean {
  return may(ROUTES[name].role);
}

interface ActionButtonProps {
  /** Operation that the button performs. The button is hidden if the user's role does not allow it. */
  readonly operation: OperationName;
  readonly act: () => unknown;
  readonly isPrimary?: boolean;
  readonly children: ComponentChildren;
}

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
