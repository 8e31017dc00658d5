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

/** The name of a node: host names are long, so it wraps in a narrow column. */
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
