import { call } from '../state/api';
import { go, href, place } from '../state/router';
import { type Editing, useDraft } from '../state/use-draft';
import { Panel } from '../ui/basics';
import {
  CALENDAR_TYPES,
  type CalendarType,
  COMMON_CALENDAR_FIELDS,
  EXCLUSIONS,
  TYPE_WORDS,
} from '../ui/calendar-fields';
import { Conflict, isConflict } from '../ui/conflict';
import { mayRun } from '../ui/deeds';
import { type Definition, type FieldSpec, readDraft, shownOf } from '../ui/draft';
import { EditorFoot } from '../ui/editor-foot';
import { Fields, fieldErrors } from '../ui/form';
import { Heading } from '../ui/frame';
import { NotAllowed } from '../ui/not-allowed';

const NAME: readonly FieldSpec[] = [{ name: 'name', kind: 'text', isRequired: true, hint: 'Cannot be changed later.' }];
const TYPE: FieldSpec = { name: 'type', kind: 'choice', choices: CALENDAR_TYPES, hint: '' };
const ALL = [TYPE, ...COMMON_CALENDAR_FIELDS, ...Object.values(EXCLUSIONS).flat()];

/** The fields that count for a type. */
const specsOf = (type: CalendarType) => [TYPE, ...EXCLUSIONS[type], ...COMMON_CALENDAR_FIELDS];

const typeOf = ({ draft }: Editing): CalendarType => CALENDAR_TYPES.find((type) => type === draft.type) ?? 'annual';

/** A form for a new calendar, or for one that is stored. */
export function CalendarEditor() {
  const [first, name = ''] = place.value.path;
  const isNew = first === 'new-calendar';
  const editing = useDraft({
    specs: ALL,
    load: isNew ? null : () => call('calendars.show', { name }),
    initial: { type: 'annual' },
  });
  const specs = isNew ? [...NAME, ...specsOf(typeOf(editing))] : specsOf(typeOf(editing));
  const names = specs.map((spec) => spec.name);
  const errors = fieldErrors(editing.error, names);
  return (
    <>
      <Heading title={isNew ? 'New calendar' : `Edit ${name}`} crumbs={[['Calendars', ['calendars']]]} />
      {!mayRun(isNew ? 'calendars.add' : 'calendars.edit') ? (
        <NotAllowed />
      ) : (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            void editing.save(() => save(editing, isNew ? null : name));
          }}
        >
          {editing.newer !== null && isConflict(editing.error) && (
            <Conflict
              before={shownOf(editing.loaded?.definition ?? {}, ALL)}
              stored={shownOf(editing.newer.definition, ALL)}
              mine={readDraft(editing.draft, specs)}
              onLoad={editing.load}
              onKeep={() => editing.rebase(specs)}
            />
          )}
          <CalendarFields editing={editing} errors={errors} isNew={isNew} />
          <EditorFoot
            editing={editing}
            error={isConflict(editing.error) ? undefined : errors['']}
            deed={isNew ? 'Add the calendar' : 'Save'}
            back={href(isNew ? ['calendars'] : ['calendars', name])}
          />
        </form>
      )}
    </>
  );
}

function CalendarFields({
  editing,
  errors,
  isNew,
}: {
  readonly editing: Editing;
  readonly errors: ReturnType<typeof fieldErrors>;
  readonly isNew: boolean;
}) {
  const type = typeOf(editing);
  const state = { draft: editing.draft, errors, set: editing.set };
  return (
    <Panel title="What it excludes">
      <div class="body">
        <fieldset class="choice">
          <legend class="unseen">Type of calendar</legend>
          {CALENDAR_TYPES.map((each) => (
            <label key={each}>
              <input type="radio" name="type" checked={each === type} onChange={() => editing.set('type', each)} />
              <span>{TYPE_WORDS[each]}</span>
            </label>
          ))}
        </fieldset>
        <div class="grid">
          {isNew && <Fields specs={NAME} state={state} />}
          <Fields specs={EXCLUSIONS[type]} state={state} />
          <Fields specs={COMMON_CALENDAR_FIELDS} state={state} />
        </div>
      </div>
    </Panel>
  );
}

/** A calendar is given as a whole. */
async function save(editing: Editing, name: string | null): Promise<void> {
  const given: Definition = readDraft(editing.draft, [...NAME, ...specsOf(typeOf(editing))]);
  const whole = { ...given, type: typeOf(editing) };
  if (name === null) {
    const added = { ...whole, name: String(given.name) };
    await call('calendars.add', added);
    go(['calendars', added.name]);
    return;
  }
  if (editing.loaded === null) return;
  await call('calendars.edit', { ...whole, name, ifVersion: editing.loaded.version });
  go(['calendars', name]);
}
