import type { EpochMs } from '../base/clock';

/* Versions of the time zone data, such as 2025c, by which nodes compute fire times. */

/** Returns true if `a` is a later version than `b`. False if one of them is not a version that can be compared. */
export function isNewerData(a: string, b: string): boolean {
  const [first, second] = [partsOf(a), partsOf(b)];
  if (first === null || second === null) return false;
  if (first.year !== second.year) return first.year > second.year;
  // After z follows za.
  if (first.letters.length !== second.letters.length) return first.letters.length > second.letters.length;
  return first.letters > second.letters;
}

function partsOf(version: string): { readonly year: number; readonly letters: string } | null {
  const found = /^(\d{4})([a-z]*)$/.exec(version);
  return found === null ? null : { year: Number(found[1]), letters: found[2] ?? '' };
}

/** A living node that publishes the version of its data. */
interface ZoneDataNode {
  readonly instanceId: string;
  readonly startedAt: EpochMs | null;
  readonly timeZoneData: string | null;
}

/**
 * Task of a node. `lower`: store its own version, because from now on it computes fire times by older data than the stored ones. `recompute`: compute
 * the stored fire times anew; afterwards store its own version, unless nodes with older data live (`hasOlder`), which go on computing by theirs.
 */
type ZoneDataTask =
  | { readonly type: 'none' }
  | { readonly type: 'lower' }
  | { readonly type: 'recompute'; readonly hasOlder: boolean };

/** Decides the task of the node `instanceId`. Of the nodes with the newest data, the one that started first recomputes. */
export function planZoneData(
  own: { readonly instanceId: string; readonly version: string },
  stored: string,
  living: readonly ZoneDataNode[],
): ZoneDataTask {
  if (isNewerData(stored, own.version)) return { type: 'lower' };
  if (!isNewerData(own.version, stored)) return { type: 'none' };
  const newest = living.filter(({ timeZoneData }) => timeZoneData !== null && !isNewerData(own.version, timeZoneData));
  const [first] = [...newest].sort(
    (a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || (a.instanceId < b.instanceId ? -1 : 1),
  );
  if (first?.instanceId !== own.instanceId) return { type: 'none' };
  const hasOlder = living.some(({ timeZoneData }) => timeZoneData !== null && isNewerData(own.version, timeZoneData));
  return { type: 'recompute', hasOlder };
}
