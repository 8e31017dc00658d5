import { call } from '../state/api';
import { go, href, route } from '../state/router';
import { type Editor, useEditor } from '../state/use-editor';
import { mayRun } from '../ui/action-button';
import { Loading, Panel } from '../ui/basics';
import {
  ALLOW_ENDING,
  CALENDAR_TYPES,
  type CalendarType,
  COMMON_CALENDAR_FIELDS,
  EXCLUSIONS,
  TYPE_LABELS,
} from '../ui/calendar-fields';
import { Conflict, isConflict } from '../ui/conflict';
import { EditorFooter } from '../ui/editor-footer';
import { Fields, fieldErrors } from '../ui/form';
import { type Definition, type FieldSpec, pickFields, readForm } from '../ui/form-values';
import { Heading } from '../ui/frame';
import { NotAllowed } from '../ui/not-allowed';

const NAME: readonly FieldSpec[] = [{ name: 'name', kind: 'text', isRequired: true, hint: 'Cannot be changed later.' }];
const TYPE: FieldSpec = { name: 'type', kind: 'choice', choices: CALENDAR_TYPES, hint: '' };
const ALL = [TYPE, ...COMMON_CALENDAR_FIELDS, ...Object.values(EXCLUSIONS).flat()];

const specsOf = (type: CalendarType) => [TYPE, ...EXCLUSIONS[type], ...COMMON_CALENDAR_FIELDS];

const typeOf = ({ values }: Editor): CalendarType => CALENDAR_TYPES.find((type) => type === values.type) ?? 'annual';

export function CalendarEditor() {
  const [first, name = ''] = route.value.path;
  const isNew = first === 'new-calendar';
  const editor = useEditor({
    specs: ALL,
    load: isNew ? null : () => call('calendars.show', { name }),
    initial: { type: 'annual' },
  });
  const specs = isNew ? [...NAME, ...specsOf(typeOf(editor))] : specsOf(typeOf(editor));
  const names = specs.map((spec) => spec.name);
  const errors = fieldErrors(editor.error, names);
  return (
    <>
      <Heading title={isNew ? 'New calendar' : `Edit ${name}`} crumbs={[['Calendars', ['calendars']]]} />
      {!mayRun(isNew ? 'calendars.add' : 'calendars.edit') ? (
        <NotAllowed operation={isNew ? 'calendars.add' : 'calendars.edit'} />
      ) : !editor.isReady ? (
        <Loading error={editor.error} />
      ) : (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            void editor.save(() => save(editor, isNew ? null : name));
          }}
        >
          {editor.newer !== null && isConflict(editor.error) && (
            <Conflict
              before={pickFields(editor.loaded?.definition ?? {}, ALL)}
              stored={pickFields(editor.newer.definition, ALL)}
              mine={readForm(editor.values, specs)}
              onLoad={editor.load}
              onKeep={() => editor.rebase(specs)}
            />
          )}
          <CalendarFields editor={editor} errors={errors} isNew={isNew} />
          <EditorFooter
            editor={editor}
            error={isConflict(editor.error) ? undefined : errors['']}
            submitLabel={isNew ? 'Add calendar' : 'Save'}
            back={href(isNew ? ['calendars'] : ['calendars', name])}
          />
        </form>
      )}
    </>
  );
}

function CalendarFields({
  editor,
  errors,
  isNew,
}: {
  readonly editor: Editor;
  readonly errors: ReturnType<typeof fieldErrors>;
  readonly isNew: boolean;
}) {
  const type = typeOf(editor);
  const state = { values: editor.values, errors, set: editor.set };
  return (
    <Panel title="Exclusions">
      <div class="body">
        <fieldset class="choice">
          <legend class="visually-hidden">Calendar type</legend>
          {CALENDAR_TYPES.map((each) => (
            <label key={each}>
              <input type="radio" name="type" checked={each === type} onChange={() => editor.set('type', each)} />
              <span>{TYPE_LABELS[each]}</span>
            </label>
          ))}
        </fieldset>
        <div class="grid">
          {isNew && <Fields specs={NAME} state={state} />}
          <Fields specs={EXCLUSIONS[type]} state={state} />
          <Fields specs={isNew ? COMMON_CALENDAR_FIELDS : [...COMMON_CALENDAR_FIELDS, ALLOW_ENDING]} state={state} />
        </div>
      </div>
    </Panel>
  );
}

/** Saves the calendar. The form replaces the whole definition, because a calendar's fields are not merged. */
async function save(editor: Editor, name: string | null): Promise<void> {
  const given: Definition = readForm(editor.values, [...NAME, ...specsOf(typeOf(editor))]);
  const whole = { ...given, type: typeOf(editor) };
  if (name === null) {
    const added = { ...whole, name: String(given.name) };
    await call('calendars.add', added);
    go(['calendars', added.name]);
    return;
  }
  if (editor.loaded === null) return;
  const { allowEnding } = readForm(editor.values, [ALLOW_ENDING]);
  await call('calendars.edit', {
    ...whole,
    name,
    ifVersion: editor.loaded.version,
    ...(allowEnding === true && { allowEnding }),
  });
  go(['calendars', name]);
}
