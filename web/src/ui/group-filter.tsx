import { route, setQuery } from '../state/router';
import { useOperation } from '../state/use-operation';
import { NameFilter } from './filters';

const MAX_SUGGESTIONS = 8;

/** Filter for a group. Suggests groups whose names contain the typed text, unless the text is the full name of a group. */
export function GroupFilter({ of }: { readonly of: 'jobs' | 'triggers' }) {
  const typed = route.value.query.get('group') ?? '';
  const { data } = useOperation('groups.list', typed === '' ? null : { limit: 1_000 }, { isLive: false });
  const names = (data?.items ?? []).filter((each) => each.of === of).map(({ name }) => name);
  const isGroup = typed === '' || names.includes(typed);
  const text = typed.toLowerCase();
  const close = isGroup ? [] : names.filter((name) => name.toLowerCase().includes(text)).slice(0, MAX_SUGGESTIONS);
  return (
    <>
      <NameFilter label="Group" name="group" />
      {close.length > 0 && (
        <output class="suggestions">
          <span class="faint">Groups with “{typed}”:</span>
          {close.map((name) => (
            <button key={name} type="button" onClick={() => setQuery({ group: name, after: undefined })}>
              {name}
            </button>
          ))}
        </output>
      )}
    </>
  );
}
