import type { Editing } from '../state/use-draft';
import { OwnershipNote } from './ownership';

/** What ends an edit: saved, or left. */
export function EditorFoot({
  editing,
  error,
  deed,
  back,
}: {
  readonly editing: Editing;
  /** What belongs to no field. */
  readonly error: string | undefined;
  readonly deed: string;
  readonly back: string;
}) {
  return (
    <footer class="foot">
      {error !== undefined && (
        <div class="trouble" role="alert">
          {error}
        </div>
      )}
      {error === undefined && editing.error !== null && editing.newer === null && (
        <div class="trouble" role="alert">
          Not saved. See the messages next to the fields.
        </div>
      )}
      <OwnershipNote owner={editing.loaded?.owner} />
      <button type="submit" class="primary" disabled={editing.isBusy}>
        {deed}
      </button>
      <a class="button" href={back}>
        Cancel
      </a>
    </footer>
  );
}
