import { href } from '../state/router';

interface Key {
  readonly group: string;
  readonly name: string;
}

/** The text of a key, which everything accepts: without the group DEFAULT, unless a slash in the name would be taken for its end. */
export function keyText({ group, name }: Key): string {
  return group === 'DEFAULT' && !name.includes('/') ? name : `${group}/${name}`;
}

export function JobLink({ job }: { readonly job: Key }) {
  return <a href={href(['jobs', job.group, job.name])}>{keyText(job)}</a>;
}

export function TriggerLink({ trigger }: { readonly trigger: Key }) {
  return <a href={href(['triggers', trigger.group, trigger.name])}>{keyText(trigger)}</a>;
}

export function RunLink({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <a class="whole" href={href(['runs', id])}>
      {children}
    </a>
  );
}

export function CalendarLink({ name }: { readonly name: string }) {
  return <a href={href(['calendars', name])}>{name}</a>;
}
