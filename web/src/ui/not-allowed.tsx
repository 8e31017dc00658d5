import { session } from '../state/session';
import { Nothing } from './basics';

/** In place of a form that the role may not use. */
export function NotAllowed() {
  const who = session.value;
  const role = who?.isReadOnly ? 'read-only' : (who?.role ?? 'viewer');
  return (
    <section class="panel">
      <Nothing>Your role, {role}, cannot edit this. The page of the definition shows it.</Nothing>
    </section>
  );
}
