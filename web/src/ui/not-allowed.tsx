import { ROUTES } from 'quartz-ts:routes';
import type { OperationName } from '../../../src/operations/operations';
import { session } from '../state/session';
import { EmptyState } from './basics';

export function NotAllowed({ operation }: { readonly operation: OperationName }) {
  const user = session.value;
  return (
    <section class="panel">
      <EmptyState>
        {user?.isReadOnly
          ? 'The console is read-only. Definitions cannot be edited here.'
          : `Editing requires the role ${ROUTES[operation].role}. You have the role ${user?.role}.`}
      </EmptyState>
    </section>
  );
}
