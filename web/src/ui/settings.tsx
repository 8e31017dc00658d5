import { logOut } from '../state/api';
import { connection } from '../state/live';
import { outage } from '../state/outage';
import { choose, scheduler, session } from '../state/session';
import { isLive, type Theme, theme, zone } from '../state/settings';
import { ShortcutsButton } from './shortcuts';

const ZONES = ['local', 'UTC'];
const OTHER_ZONES = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');

/** Name of the scheduler. If the console has several, the user can choose one. */
export function SchedulerChoice() {
  const names = session.value?.schedulers ?? [];
  if (names.length === 1) return <div class="scheduler">{names[0]}</div>;
  return (
    <div class="scheduler">
      <select
        aria-label="Scheduler"
        value={scheduler.value}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  );
}

/** Button that turns automatic refreshing on and off. Also shows whether the server responds. */
export function LiveButton() {
  const state = !isLive.value ? 'closed' : outage.value !== null ? 'lost' : connection.value;
  return (
    <button
      type="button"
      class="plain live"
      data-state={state}
      aria-pressed={isLive.value}
      onClick={() => {
        isLive.value = !isLive.value;
      }}
    >
      {!isLive.value ? 'Updates off' : state === 'lost' ? 'No answer' : 'Live'}
    </button>
  );
}

/** Name and role of the user. A logged-in user also gets a logout button. */
export function UserMenu() {
  const user = session.value;
  if (user === null || user === undefined) return null;
  return (
    <div class="user">
      <span>
        {user.name} · {user.isReadOnly ? 'read-only' : user.role}
      </span>
      {user.csrf !== null && (
        <button type="button" class="plain" onClick={logOut}>
          Log out
        </button>
      )}
      <ShortcutsButton />
    </div>
  );
}

export function Settings() {
  return (
    <>
      <select
        aria-label="Time zone"
        value={zone.value}
        onChange={({ currentTarget }) => {
          zone.value = currentTarget.value;
        }}
      >
        {ZONES.map((name) => (
          <option key={name} value={name}>
            {name === 'local' ? 'Local time' : name}
          </option>
        ))}
        <optgroup label="Zones">
          {OTHER_ZONES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </optgroup>
      </select>
      <select
        aria-label="Theme"
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = currentTarget.value as Theme;
        }}
      >
        <option value="system">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </>
  );
}
