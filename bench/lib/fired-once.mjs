/** Names of at most this many triggers are in an error. */
const MAX_NAMES = 5;

/**
 * Throws unless every fire time of every trigger was fired once. `fired`: pairs of a trigger's name and a fire time. `expected`: pairs of a trigger's
 * name and the fire times that it had.
 */
export function checkFiredOnce(label, fired, expected) {
  const counts = new Map();
  for (const [name, time] of fired) {
    const times = counts.get(name) ?? new Map();
    counts.set(name, times.set(time, (times.get(time) ?? 0) + 1));
  }
  const wrong = { 'fired twice': [], 'not fired': [], 'fired without being due': [] };
  for (const [name, times] of expected) {
    const seen = counts.get(name) ?? new Map();
    counts.delete(name);
    for (const time of times) if (!seen.has(time)) wrong['not fired'].push(name);
    for (const [time, count] of seen) {
      if (count > 1) wrong['fired twice'].push(name);
      if (!times.includes(time)) wrong['fired without being due'].push(name);
    }
  }
  wrong['fired without being due'].push(...counts.keys());
  const parts = Object.entries(wrong).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${shown(names)}`],
  );
  if (parts.length > 0) throw new Error(`${label} did not fire every fire time once. ${parts.join('; ')}.`);
}

function shown(names) {
  const more = names.length > MAX_NAMES ? ', …' : '';
  return `${names.length} (${names.slice(0, MAX_NAMES).join(', ')}${more})`;
}
