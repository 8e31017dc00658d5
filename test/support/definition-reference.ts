import { JOB_SPECS, SCHEDULE_SPECS, TIME_SPECS, TRIGGER_SPECS } from '../../src/definitions/fields';
import { type FieldSpec, JOB_POLICY_SPECS, TRIGGER_POLICY_SPECS } from '../../src/definitions/policy-fields';

type Specs = Readonly<Record<string, FieldSpec>>;

const NAME = 'A name, or `group/name` where no `group` is given.';

/** Tables of docs/reference/schedule-file.md that are generated from the table of fields, between markers. */
export const TABLES: Readonly<Record<string, string>> = {
  'job fields': table([
    row('name', 'required', NAME),
    row('group', '`DEFAULT`', 'Group of the job.'),
    ...rowsOf({ ...JOB_SPECS, ...JOB_POLICY_SPECS }),
    row('triggers', 'none', 'Its triggers. An only one may go without a name and is named as the job.'),
  ]),
  'trigger fields': table([
    row('name', 'the name of the job, for an only trigger', NAME),
    row('group', 'the group of the job', 'Group of the trigger.'),
    row('job', '', 'Key of the job; only, and always, for triggers in the list of the file.'),
    ...rowsOf({ ...SCHEDULE_SPECS.every, ...SCHEDULE_SPECS.at }),
    ...rowsOf({ dialect: SCHEDULE_SPECS.cron.dialect, ...SCHEDULE_SPECS.after }),
    ...rowsOf({ ...TIME_SPECS, ...TRIGGER_SPECS, ...TRIGGER_POLICY_SPECS }),
  ]),
};

function rowsOf(specs: Specs): readonly string[] {
  return Object.entries(specs).map(([name, { kind, sentence, example, default: absent, see, isRequired }]) => {
    const without = absent ?? (isRequired ? '' : kind === 'flag' ? '`false`' : 'none');
    const more =
      see === undefined
        ? ''
        : ` See [${see
            .replace(/^.*\/|\.md.*$/g, '')
            .replace(/#/, '')
            .replaceAll('-', ' ')}](${see}).`;
    return row(name, without, `${sentence}${example === undefined ? '' : ` Example: \`${example}\`.`}${more}`);
  });
}

function row(name: string, absent: string, meaning: string): string {
  return `| \`${name}\` | ${absent} | ${meaning} |`;
}

function table(rows: readonly string[]): string {
  return ['| key | default | |', '|---|---|---|', ...rows].join('\n');
}

/** The page with its generated tables. */
export function withTables(page: string): string {
  return Object.entries(TABLES).reduce((text, [name, content]) => {
    const [begin, end] = [`<!-- ${name}: written from src/definitions/fields.ts -->`, `<!-- end of ${name} -->`];
    const [head, rest] = text.split(begin);
    const tail = rest?.split(end)[1];
    if (tail === undefined) throw new Error(`Expected the markers of '${name}' in the page, found none.`);
    return `${head}${begin}\n${content}\n${end}${tail}`;
  }, page);
}
