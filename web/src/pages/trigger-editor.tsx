import { useState } from 'preact/hooks';
import { call } from '../state/api';
import { go, href, route } from '../state/router';
import { type Editor, useEditor } from '../state/use-editor';
import { mayRun } from '../ui/action-button';
import { Loading, Panel } from '../ui/basics';
import { Conflict, isConflict } from '../ui/conflict';
import {
  KIND_LABELS,
  KINDS,
  type Kind,
  SCHEDULES,
  TIME_FIELDS,
  TRIGGER_FIELDS,
  TRIGGER_POLICY_FIELDS,
  timeFieldsOf,
} from '../ui/definition-fields';
import { EditorFooter } from '../ui/editor-footer';
import { type FieldErrors, Fields, fieldErrors, More } from '../ui/form';
import { changesBetween, type Definition, type FieldSpec, pickFields, readForm } from '../ui/form-values';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { NotAllowed } from '../ui/not-allowed';
import { Preview } from '../ui/preview';

const KEY_FIELDS: readonly FieldSpec[] = [
  { name: 'name', kind: 'text', isRequired: true, hint: 'Cannot be changed later.' },
  { name: 'group', kind: 'text', hint: "Default: the job's group." },
];
const JOB_OF_TRIGGER: readonly FieldSpec[] = [
  { name: 'job.name', kind: 'text', isRequired: true, hint: 'Job to run.' },
  { name: 'job.group', kind: 'text', hint: 'Default: DEFAULT.' },
];
const COMMON = [...JOB_OF_TRIGGER, ...TRIGGER_FIELDS, ...TRIGGER_POLICY_FIELDS];
const ALL = [...COMMON, ...TIME_FIELDS, ...Object.values(SCHEDULES).flat()];

const specsOf = (kind: Kind): readonly FieldSpec[] => [...COMMON, ...timeFieldsOf(kind), ...SCHEDULES[kind]];

function kindOf({ values, loaded }: Editor): Kind {
  const chosen = KINDS.find((kind) => kind === values.kind);
  return chosen ?? KINDS.find((kind) => loaded?.definition[kind] !== undefined) ?? 'cron';
}

export function TriggerEditor() {
  const { path, query } = route.value;
  const [first, group = '', name = ''] = path;
  const isNew = first === 'new-trigger';
  const editor = useEditor({
    specs: ALL,
    load: isNew ? null : () => call('triggers.show', { group, name, count: 0 }),
    initial: { 'job.name': query.get('job') ?? '', 'job.group': query.get('jobGroup') ?? '' },
  });
  const kind = kindOf(editor);
  const specs = isNew ? [...KEY_FIELDS, ...specsOf(kind)] : specsOf(kind);
  const errors = fieldErrors(
    editor.error,
    specs.map((spec) => spec.name),
  );
  const text = keyText({ group, name });
  return (
    <>
      <Heading title={isNew ? 'New trigger' : `Edit ${text}`} crumbs={[['Triggers', ['triggers']]]} />
      {!mayRun(isNew ? 'triggers.add' : 'triggers.edit') ? (
        <NotAllowed operation={isNew ? 'triggers.add' : 'triggers.edit'} />
      ) : !editor.isReady ? (
        <Loading error={editor.error} />
      ) : (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            void editor.save(() => (isNew ? addTrigger(editor) : editTrigger(editor, { group, name })));
          }}
        >
          {editor.newer !== null && isConflict(editor.error) && (
            <Conflict
              before={pickFields(editor.loaded?.definition ?? {}, ALL)}
              stored={pickFields(editor.newer.definition, ALL)}
              mine={readForm(editor.values, specsOf(kind))}
              onLoad={editor.load}
              onKeep={() => editor.rebase(specsOf(kind))}
            />
          )}
          <TriggerFields editor={editor} errors={errors} isNew={isNew} />
          <EditorFooter
            editor={editor}
            error={isConflict(editor.error) ? undefined : errors['']}
            submitLabel={isNew ? 'Add trigger' : 'Save'}
            back={href(isNew ? ['triggers'] : ['triggers', group, name])}
          />
        </form>
      )}
    </>
  );
}

function TriggerFields({
  editor,
  errors,
  isNew,
}: {
  readonly editor: Editor;
  readonly errors: FieldErrors;
  readonly isNew: boolean;
}) {
  const kind = kindOf(editor);
  const [problem, setProblem] = useState<Error | null>(null);
  const ofSchedule = fieldErrors(
    problem,
    [...SCHEDULES[kind], ...timeFieldsOf(kind)].map(({ name }) => name),
  );
  const state = { values: editor.values, errors: { ...ofSchedule, ...errors }, set: editor.set };
  const hasValue = ({ name }: FieldSpec) => (editor.values[name] ?? '') !== '' || errors[name] !== undefined;
  return (
    <>
      <Panel title="Trigger">
        <div class="body grid">
          {isNew && <Fields specs={KEY_FIELDS} state={state} />}
          <Fields specs={JOB_OF_TRIGGER} state={state} />
        </div>
      </Panel>
      <Panel title="Schedule">
        <div class="body">
          <KindChoice kind={kind} onChoose={(next) => editor.set('kind', next)} />
          <div class="grid">
            <Fields specs={SCHEDULES[kind]} state={state} />
            <Fields specs={timeFieldsOf(kind)} state={state} />
          </div>
        </div>
      </Panel>
      <div class="aside">
        <Preview given={readSchedule(editor, kind)} onProblem={setProblem} />
      </div>
      <Panel title="Other settings">
        <div class="body grid">
          <Fields specs={TRIGGER_FIELDS} state={state} />
        </div>
      </Panel>
      <More title="Limits and retries" isOpen={TRIGGER_POLICY_FIELDS.some(hasValue)}>
        <Fields specs={TRIGGER_POLICY_FIELDS} state={state} />
      </More>
    </>
  );
}

/** Reads the schedule to preview. Returns null if a field is invalid. */
function readSchedule({ values }: Editor, kind: Kind): Definition | null {
  try {
    return readForm(values, [...SCHEDULES[kind], ...timeFieldsOf(kind)]);
  } catch {
    return null;
  }
}

function KindChoice({ kind, onChoose }: { readonly kind: Kind; readonly onChoose: (kind: Kind) => void }) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">Schedule kind</legend>
      {KINDS.map((each) => (
        <label key={each}>
          <input type="radio" name="kind" checked={each === kind} onChange={() => onChoose(each)} />
          <span>{KIND_LABELS[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}

async function addTrigger(editor: Editor): Promise<void> {
  const specs = [...KEY_FIELDS, ...specsOf(kindOf(editor))];
  const given = readForm(editor.values, specs) as { name: string; job: { name: string; group?: string } };
  const { key } = await call('triggers.add', given);
  go(['triggers', key.group, key.name]);
}

async function editTrigger(editor: Editor, key: { readonly group: string; readonly name: string }): Promise<void> {
  const { values, loaded } = editor;
  if (loaded === null) return;
  const kind = kindOf(editor);
  const now = readForm(values, specsOf(kind));
  const { changed, clear } = changesBetween(pickFields(loaded.definition, ALL), now);
  await call('triggers.edit', {
    ...changed,
    ...scheduleOf(kind, now, changed),
    ...(clear.length === 0 ? {} : { clear: clear as 'cron'[] }),
    ...key,
    ifVersion: loaded.version,
  });
  go(['triggers', key.group, key.name]);
}

/** Returns all fields of the schedule if any of them has changed, because the server replaces the schedule as a whole. */
function scheduleOf(kind: Kind, now: Definition, changed: Definition): Definition {
  const names = SCHEDULES[kind].map(({ name }) => name.split('.')[0] ?? '');
  if (!names.some((name) => name in changed)) return {};
  return Object.fromEntries(Object.entries(now).filter(([name]) => names.includes(name)));
}
