import type { ComponentChildren } from 'preact';
import type { OperationName, OutputOf } from '../../../src/operations/operations';
import { ask } from './confirm';
import { Deed } from './deeds';
import { countText } from './format';
import { keyText } from './links';

type Found = Pick<OutputOf<'triggers.removeMany'>, 'count' | 'isExact' | 'keys'>;

interface BulkProps {
  readonly operation: OperationName;
  readonly deed: string;
  readonly what: 'job' | 'trigger';
  readonly isDestructive?: boolean;
  /** What is asked besides. */
  readonly fields?: ComponentChildren;
  /** As a dry run, it says what is meant; then it is done, with what was filled in. */
  readonly act: (dryRun: boolean, said: FormData) => Promise<Found>;
  readonly onDone: () => void;
}

/** What is done to all that a list finds, on all of its pages: first it is shown what that is. */
export function Bulk({ operation, deed, what, isDestructive = false, fields, act, onDone }: BulkProps) {
  const begin = async () => {
    const found = await act(true, new FormData());
    const number = `${found.isExact ? '' : 'more than '}${countText(found.count)} ${what}${found.count === 1 ? '' : 's'}`;
    if (found.count === 0) throw new Error(`No ${what} matches.`);
    ask({
      title: `${deed} ${number}?`,
      body: (
        <>
          <Meant found={found} />
          {isDestructive && <p>This cannot be undone.</p>}
          {fields}
        </>
      ),
      deed: `${deed} ${number}`,
      isDestructive,
      act: (said) => act(false, said).then(onDone),
    });
  };
  return (
    <Deed operation={operation} act={begin}>
      {deed}
    </Deed>
  );
}

function Meant({ found: { keys, count } }: { readonly found: Found }) {
  const more = count - keys.length;
  return (
    <p>
      {keys.map(keyText).join(', ')}
      {more > 0 && ` and ${countText(more)} more`}. Everything that matches at that moment is included.
    </p>
  );
}

/** Beneath a list: what can be done to all that it finds. Empty for those who may do nothing of it. */
export function ForAll({ children }: { readonly children: ComponentChildren }) {
  return (
    <fieldset class="filters forall">
      <legend>All that match</legend>
      {children}
    </fieldset>
  );
}
