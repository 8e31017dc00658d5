import { href } from '../state/router';

interface Key {
  readonly group: string;
  readonly name: string;
}

/** Formats a key in the form that every interface accepts. Omits the group DEFAULT unless the name contains a slash. */
export function keyText({ group, name }: Key): string {
  return group === 'DEFAULT' && !name.includes('/') ? name : `${group}/${name}`;
}

export function JobLink({ job }: { readonly job: Key }) {
  return <KeyLink to={href(['jobs', job.group, job.name])} of={job} />;
}

export function TriggerLink({ trigger }: { readonly trigger: Key }) {
  return <KeyLink to={href(['triggers', trigger.group, trigger.name])} of={trigger} />;
}

function KeyLink({ to, of }: { readonly to: string; readonly of: Key }) {
  return (
    <a class="name" href={to}>
      {keyText(of)}
    </a>
  );
}

/** Instance id of a node. Wraps in a narrow column, because host names are long. */
export function NodeName({ id }: { readonly id: string }) {
  return <span class="name">{id}</span>;
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
