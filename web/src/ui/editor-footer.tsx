import type { Editor } from '../state/use-editor';
import { OwnershipNote } from './ownership';

export function EditorFooter({
  editor,
  error,
  submitLabel,
  back,
}: {
  readonly editor: Editor;
  /** Error message that belongs to no field. */
  readonly error: string | undefined;
  readonly submitLabel: string;
  readonly back: string;
}) {
  return (
    <footer class="foot">
      {error !== undefined && (
        <div class="error-message" role="alert">
          {error}
        </div>
      )}
      {error === undefined && editor.error !== null && editor.newer === null && (
        <div class="error-message" role="alert">
          Not saved. See the messages next to the fields.
        </div>
      )}
      <OwnershipNote owner={editor.loaded?.owner} />
      <button type="submit" class="primary" disabled={editor.isBusy}>
        {submitLabel}
      </button>
      <a class="button" href={back}>
        Cancel
      </a>
    </footer>
  );
}
