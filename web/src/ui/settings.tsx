import { logOut } from '../state/api';
import { connection } from '../state/live';
import { outage } from '../state/outage';
import { choose, scheduler, session } from '../state/session';
import { isLive, type Theme, theme, zone } from '../state/settings';
import { KeysButton } from './keys';

const ZONES = ['local', 'UTC'];
const OTHER_ZONES = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');

/** Which scheduler is shown, where the console has several. */
export function SchedulerChoice() {
  const names = session.value?.schedulers ?? [];
  if (names.length === 1) return <div class="which">{names[0]}</div>;
  return (
    <div class="which">
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

/** Whether the page follows the cluster, and whether it can. */
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

/** Who looks, and a way out for those who have logged in. */
export function Who() {
  const who = session.value;
  if (who === null || who === undefined) return null;
  return (
    <div class="who">
      <span>
        {who.name} · {who.isReadOnly ? 'read-only' : who.role}
      </span>
      {who.csrf !== null && (
        <button type="button" class="plain" onClick={logOut}>
          Log out
        </button>
      )}
      <KeysButton />
    </div>
  );
}

/** How times and colours are shown. */
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
        aria-label="Colours"
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = currentTarget.value as Theme;
        }}
      >
        <option value="system">System colours</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </>
  );
}
