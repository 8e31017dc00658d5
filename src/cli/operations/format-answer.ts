import { DAYS } from '../../definitions/schedule-file-schema';
import type { OperationName, OutputOf } from '../../operations/operations';
import type { ExitReason } from '../exit-codes';
import { formatNode } from './format-node';
import { formatOverview } from './format-overview';

/** Functions that convert the output of an operation for the terminal. `--json` prints the unconverted output. */
const FORMS: { readonly [Name in OperationName]?: (answer: OutputOf<Name>) => object } = {
  'overview.show': formatOverview,
  'nodes.list': ({ items }) => ({ items: items.map(formatNode) }),
  'doctor.check': formatFindings,
  'doctor.facts': formatFacts,
  'calendars.show': ({ definition, ...rest }) => ({ ...rest, definition: withNamedDays(definition) }),
};

export function shownToPeople(name: OperationName, answer: unknown): unknown {
  const form = FORMS[name] as ((answer: unknown) => object) | undefined;
  return form === undefined ? answer : form(answer);
}

/** Formats each finding as a block with one field per line, because table cells would truncate the texts. */
function formatFindings({ items }: OutputOf<'doctor.check'>): object {
  if (items.length === 0) return { items };
  return Object.fromEntries(
    items.map(({ id, severity, section, found, expected, advice, isRepairable }) => [
      `${severity} ${id}`,
      { id, section, found, expected, advice, ...(isRepairable && { repair: `quartz doctor repair ${id}` }) },
    ]),
  );
}

/** Formats facts as a table, or all as SQL text with comments if there are SQL statements, which table cells would truncate. */
function formatFacts(answer: OutputOf<'doctor.facts'>): object {
  const isSql = (section: string, value: string) => section === 'statements' && /^[A-Z]+\s/.test(value);
  if (!answer.items.some(({ section, value }) => isSql(section, value))) return answer;
  return answer.items.flatMap(({ section, name, value }) =>
    isSql(section, value) ? ['', `-- ${name}`, ...`${value};`.split('\n')] : [`-- ${section}: ${name}: ${value}`],
  );
}

/** Returns the exit reason of a command whose operation succeeded: PROBLEMS if `doctor check` found a problem, otherwise OK. */
export function endOf(name: OperationName, answer: unknown): ExitReason {
  if (name !== 'doctor.check') return 'OK';
  const { items } = answer as OutputOf<'doctor.check'>;
  return items.some(({ severity }) => severity === 'problem') ? 'PROBLEMS' : 'OK';
}

type Definition = Readonly<Record<string, unknown>>;

/** Writes the days of a calendar as schedule files do, such as `12-25` and `SAT`. Includes base calendars. */
function withNamedDays(definition: Definition): Definition {
  const { type, excludedDays, base } = definition;
  const nameOf = DAY_NAMES[String(type)];
  return {
    ...definition,
    ...(nameOf === undefined || !Array.isArray(excludedDays) ? {} : { excludedDays: excludedDays.map(nameOf) }),
    ...(base === undefined ? {} : { base: withNamedDays(base as Definition) }),
  };
}

const DAY_NAMES: Readonly<Record<string, (day: unknown) => unknown>> = {
  annual: (day) => (Array.isArray(day) ? day.map((part) => String(part).padStart(2, '0')).join('-') : day),
  weekly: (day) => DAYS[Number(day) - 1] ?? day,
};
