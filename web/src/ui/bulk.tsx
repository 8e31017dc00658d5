import type { ComponentChildren } from 'preact';
import type { OperationName, OutputOf } from '../../../src/operations/operations';
import { ActionButton } from './action-button';
import { confirmAction } from './confirm';
import { countText } from './format';
import { keyText } from './links';

type Matches = Pick<OutputOf<'triggers.removeMany'>, 'count' | 'isExact' | 'keys'>;

interface BulkProps {
  readonly operation: OperationName;
  /** Label of the button, a verb. */
  readonly verb: string;
  readonly what: 'job' | 'trigger';
  readonly isDestructive?: boolean;
  readonly fields?: ComponentChildren;
  /** Performs the action with the fields of the confirmation dialog. With `dryRun`, only returns the matching items. */
  readonly act: (dryRun: boolean, form: FormData) => Promise<Matches>;
  readonly onDone: () => void;
}

/** Button that performs an action on all matching items, on all pages of a list. Its confirmation dialog lists the first items. */
export function BulkAction({ operation, verb, what, isDestructive = false, fields, act, onDone }: BulkProps) {
  const begin = async () => {
    const found = await act(true, new FormData());
    const number = `${found.isExact ? '' : 'more than '}${countText(found.count)} ${what}${found.count === 1 ? '' : 's'}`;
    if (found.count === 0) throw new Error(`No matching ${what}s.`);
    confirmAction({
      title: `${verb} ${number}?`,
      body: (
        <>
          <Selection matches={found} />
          {isDestructive && <p>Only declared entries can be restored, on the Overrides page.</p>}
          {fields}
        </>
      ),
      confirmLabel: `${verb} ${number}`,
      isDestructive,
      act: (form) => act(false, form).then(onDone),
    });
  };
  return (
    <ActionButton operation={operation} act={begin}>
      {verb}
    </ActionButton>
  );
}

function Selection({ matches: { keys, count } }: { readonly matches: Matches }) {
  const more = count - keys.length;
  return (
    <p>
      {keys.map(keyText).join(', ')}
      {more > 0 && ` and ${countText(more)} more`}. The action applies to everything that matches when you confirm.
    </p>
  );
}

export function BulkActions({ children }: { readonly children: ComponentChildren }) {
  return (
    <fieldset class="filters bulk">
      <legend>All matches</legend>
      {children}
    </fieldset>
  );
}
