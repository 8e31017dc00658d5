import type { OutputOf } from '../../../src/operations/operations';
import { valueText } from './definition';
import { countText } from './format';

type Changes = OutputOf<'actions.list'>['items'][number]['changes'];

interface FieldChange {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export function ActionChanges({ changes }: { readonly changes: Changes }) {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) return <span class="faint">–</span>;
  const { fields, ...counts } = changes as { readonly fields?: unknown };
  return (
    <>
      {Array.isArray(fields) &&
        (fields as readonly FieldChange[]).map((each) => <Field key={each.field} change={each} />)}
      {Object.keys(counts).length > 0 && <span>{countsText(counts)}</span>}
    </>
  );
}

function Field({ change: { field, before, after } }: { readonly change: FieldChange }) {
  return (
    <div class="wraps">
      {field}: <Value of={before} /> → <Value of={after} />
    </div>
  );
}

function Value({ of }: { readonly of: unknown }) {
  return of === undefined ? <span class="faint">none</span> : <code>{valueText(of)}</code>;
}

/** Formats counts, such as `created 2 · changed trigger daily`. Omits zeros and empty lists. */
function countsText(counts: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(counts).flatMap(([name, value]) => {
    if (name === 'count' && typeof value === 'number') return [countText(value)];
    if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}: ${value.map(valueText).join(', ')}`];
    return value === 0 || value === null ? [] : [`${name} ${valueText(value)}`];
  });
  return parts.join(' · ') || 'no changes';
}
