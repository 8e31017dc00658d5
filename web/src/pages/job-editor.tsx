import { call } from '../state/api';
import { go, href, route } from '../state/router';
import { type Editor, useEditor } from '../state/use-editor';
import { mayRun } from '../ui/action-button';
import { Loading, Panel } from '../ui/basics';
import { Conflict, isConflict } from '../ui/conflict';
import { JOB_FIELDS, POLICY_FIELDS } from '../ui/definition-fields';
import { EditorFooter } from '../ui/editor-footer';
import { type FieldErrors, Fields, fieldErrors, More } from '../ui/form';
import { changesBetween, type FieldSpec, pickFields, readForm } from '../ui/form-values';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { NotAllowed } from '../ui/not-allowed';

const KEY_FIELDS: readonly FieldSpec[] = [
  { name: 'name', kind: 'text', isRequired: true, hint: 'Cannot be changed later.' },
  { name: 'group', kind: 'text', hint: 'Default: DEFAULT.' },
];
const SPECS = [...JOB_FIELDS, ...POLICY_FIELDS];
const NEW_SPECS = [...KEY_FIELDS, ...SPECS];

export function JobEditor() {
  const [first, group = '', name = ''] = route.value.path;
  const isNew = first === 'new-job';
  const specs = isNew ? NEW_SPECS : SPECS;
  const editor = useEditor({
    specs,
    load: isNew ? null : () => call('jobs.show', { group, name }),
    initial: { durable: 'true' },
  });
  const errors = fieldErrors(
    editor.error,
    specs.map((spec) => spec.name),
  );
  const title = isNew ? 'New job' : keyText({ group, name });
  const back = isNew ? ['jobs'] : ['jobs', group, name];
  return (
    <>
      <Heading title={isNew ? title : `Edit ${title}`} crumbs={[['Jobs', ['jobs']]]} />
      {!mayRun(isNew ? 'jobs.add' : 'jobs.edit') ? (
        <NotAllowed operation={isNew ? 'jobs.add' : 'jobs.edit'} />
      ) : !editor.isReady ? (
        <Loading error={editor.error} />
      ) : (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            void editor.save(() => (isNew ? addJob(editor) : editJob(editor, { group, name })));
          }}
        >
          {editor.newer !== null && isConflict(editor.error) && (
            <Conflict
              before={pickFields(editor.loaded?.definition ?? {}, SPECS)}
              stored={pickFields(editor.newer.definition, SPECS)}
              mine={readForm(editor.values, SPECS)}
              onLoad={editor.load}
              onKeep={() => editor.rebase(SPECS)}
            />
          )}
          <JobFields editor={editor} errors={errors} isNew={isNew} />
          <EditorFooter
            editor={editor}
            error={isConflict(editor.error) ? undefined : errors['']}
            submitLabel={isNew ? 'Add job' : 'Save'}
            back={href(back)}
          />
        </form>
      )}
    </>
  );
}

function JobFields({
  editor,
  errors,
  isNew,
}: {
  readonly editor: Editor;
  readonly errors: FieldErrors;
  readonly isNew: boolean;
}) {
  const state = { values: editor.values, errors, set: editor.set };
  const hasPolicy = POLICY_FIELDS.some(({ name }) => (editor.values[name] ?? '') !== '' || errors[name] !== undefined);
  return (
    <>
      <Panel title="Job">
        <div class="body grid">
          {isNew && <Fields specs={KEY_FIELDS} state={state} />}
          <Fields specs={JOB_FIELDS} state={state} />
        </div>
      </Panel>
      <More title="Limits and retries" isOpen={hasPolicy}>
        <Fields specs={POLICY_FIELDS} state={state} />
      </More>
    </>
  );
}

async function addJob({ values }: Editor): Promise<void> {
  const given = readForm(values, NEW_SPECS) as { name: string; group?: string };
  await call('jobs.add', given);
  go(['jobs', given.group ?? 'DEFAULT', given.name]);
}

async function editJob(
  { values, loaded }: Editor,
  key: { readonly group: string; readonly name: string },
): Promise<void> {
  if (loaded === null) return;
  const { changed, clear } = changesBetween(pickFields(loaded.definition, SPECS), readForm(values, SPECS));
  await call('jobs.edit', {
    ...changed,
    ...(clear.length === 0 ? {} : { clear: clear as 'type'[] }),
    ...key,
    ifVersion: loaded.version,
  });
  go(['jobs', key.group, key.name]);
}
