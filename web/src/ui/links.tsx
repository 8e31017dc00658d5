import { href } from '../state/router';

interface Key {
  readonly group: string;
  readonly name: string;
}

/** A key as people read it: the group only where it says something. */
export function keyText({ group, name }: Key): string {
  return group === 'DEFAULT' ? name : `${group}.${name}`;
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
