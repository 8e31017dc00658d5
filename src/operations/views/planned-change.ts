import { z } from 'zod';
import type { JsonValue } from '../../domain/job-data';
import type { ChangedField, PlannedChange } from '../../domain/plan-changes';

/** What would become of one job, trigger or calendar. */
export const plannedChange = z.object({
  action: z.enum(['create', 'replace', 'unchanged', 'delete']),
  what: z.enum(['job', 'trigger', 'calendar']),
  group: z.string().nullable().describe('Null: a calendar.'),
  name: z.string(),
  fields: z
    .array(
      z.object({
        field: z.string().describe('As it is stored; `data.to`: a key of job data, whose values are not shown.'),
        before: z.unknown().optional(),
        after: z.unknown().optional(),
      }),
    )
    .describe('What would be another value; none of `replace`: it is made again.'),
});

export function plannedChangeOf({ action, what, group, name, fields }: PlannedChange): z.input<typeof plannedChange> {
  return { action, what, group, name, fields: fields.flatMap(fieldsOf) };
}

const TIMES: readonly string[] = ['startTime', 'endTime', 'nextFireTime', 'previousFireTime'];

/** Of job data only the keys: the values may be secrets. */
function fieldsOf({ field, before, after }: ChangedField) {
  if (field === 'data') return changedKeys(before, after).map((key) => ({ field: `data.${key}` }));
  const isTime = TIMES.includes(field);
  const shown = (value: JsonValue | undefined) =>
    isTime && typeof value === 'number' ? new Date(value).toISOString() : value;
  return [
    {
      field,
      ...(before === undefined ? {} : { before: shown(before) }),
      ...(after === undefined ? {} : { after: shown(after) }),
    },
  ];
}

function changedKeys(before: JsonValue | undefined, after: JsonValue | undefined): readonly string[] {
  const [old, now] = [before, after].map((data) => (data ?? {}) as Readonly<Record<string, JsonValue>>);
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  return keys.filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key])).sort();
}
