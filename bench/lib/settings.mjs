/** `key=value` arguments of a node, as the Java harness takes them, too. */
export function settings(args) {
  const values = Object.fromEntries(
    args.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]),
  );
  return {
    text: (key, fallback) => values[key] ?? fallback,
    number: (key, fallback) => Number(values[key] ?? fallback),
    /** Those whose key begins with `prefix`, without it. */
    beginning: (prefix) =>
      Object.entries(values).flatMap(([key, value]) =>
        key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
      ),
  };
}

/** The other way round; leaves out what is undefined. */
export function argumentsOf(values) {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}
