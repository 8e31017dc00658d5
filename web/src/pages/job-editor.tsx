import { call } from '../state/api';
import { go, href, place } from '../state/router';
import { type Editing, useDraft } from '../state/use-draft';
import { Panel } from '../ui/basics';
import { Conflict, isConflict } from '../ui/conflict';
import { mayRun } from '../ui/deeds';
import { JOB_FIELDS, POLICY_FIELDS } from '../ui/definition-fields';
import { editOf, type FieldSpec, readDraft, shownOf } from '../ui/draft';
import { EditorFoot } from '../ui/editor-foot';
import { type FieldErrors, Fields, fieldErrors, More } from '../ui/form';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { NotAllowed } from '../ui/not-allowed';

const KEY_FIELDS: readonly FieldSpec[] = [
  { name: 'name', kind: 'text', isRequired: true, hint: 'Cannot be changed later.' },
  { name: 'group', kind: 'text', hint: 'Empty: DEFAULT.' },
];
const SPECS = [...JOB_FIELDS, ...POLICY_FIELDS];
const NEW_SPECS = [...KEY_FIELDS, ...SPECS];

/** A form for a new job, or for one that is stored. */
export function JobEditor() {
  const [first, group = '', name = ''] = place.value.path;
  const isNew = first === 'new-job';
  const specs = isNew ? NEW_SPECS : SPECS;
  const editing = useDraft({
    specs,
    load: isNew ? null : () => call('jobs.show', { group, name }),
    initial: { durable: 'true' },
  });
  const errors = fieldErrors(
    editing.error,
    specs.map((spec) => spec.name),
  );
  const title = isNew ? 'New job' : keyText({ group, name });
  const back = isNew ? ['jobs'] : ['jobs', group, name];
  return (
    <>
      <Heading title={isNew ? title : `Edit ${title}`} crumbs={[['Jobs', ['jobs']]]} />
      {!mayRun(isNew ? 'jobs.add' : 'jobs.edit') ? (
        <NotAllowed />
      ) : (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            void editing.save(() => (isNew ? addJob(editing) : editJob(editing, { group, name })));
          }}
        >
          {editing.newer !== null && isConflict(editing.error) && (
            <Conflict
              before={shownOf(editing.loaded?.definition ?? {}, SPECS)}
              stored={shownOf(editing.newer.definition, SPECS)}
              mine={readDraft(editing.draft, SPECS)}
              onLoad={editing.load}
              onKeep={() => editing.rebase(SPECS)}
            />
          )}
          <JobFields editing={editing} errors={errors} isNew={isNew} />
          <EditorFoot
            editing={editing}
            error={isConflict(editing.error) ? undefined : errors['']}
            deed={isNew ? 'Add the job' : 'Save'}
            back={href(back)}
          />
        </form>
      )}
    </>
  );
}

function JobFields({
  editing,
  errors,
  isNew,
}: {
  readonly editing: Editing;
  readonly errors: FieldErrors;
  readonly isNew: boolean;
}) {
  const state = { draft: editing.draft, errors, set: editing.set };
  const isSaid = POLICY_FIELDS.some(({ name }) => (editing.draft[name] ?? '') !== '' || errors[name] !== undefined);
  return (
    <>
      <Panel title="Job">
        <div class="body grid">
          {isNew && <Fields specs={KEY_FIELDS} state={state} />}
          <Fields specs={JOB_FIELDS} state={state} />
        </div>
      </Panel>
      <More title="Limits and retries" isOpen={isSaid}>
        <Fields specs={POLICY_FIELDS} state={state} />
      </More>
    </>
  );
}

async function addJob({ draft }: Editing): Promise<void> {
  const given = readDraft(draft, NEW_SPECS) as { name: string; group?: string };
  await call('jobs.add', given);
  go(['jobs', given.group ?? 'DEFAULT', given.name]);
}

async function editJob(
  { draft, loaded }: Editing,
  key: { readonly group: string; readonly name: string },
): Promise<void> {
  if (loaded === null) return;
  const { changed, clear } = editOf(readDraft(draft, SPECS), shownOf(loaded.definition, SPECS));
  await call('jobs.edit', {
    ...changed,
    ...(clear.length === 0 ? {} : { clear: clear as 'type'[] }),
    ...key,
    ifVersion: loaded.version,
  });
  go(['jobs', key.group, key.name]);
}
