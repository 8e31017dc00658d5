/**
 * Native `import()`. The compiler would convert a literal `import()` to `require`, which cannot load modules with top-level await. Pass only modules
 * that the operator or the user's code names, never a value from a schedule file or a stored row.
 */
export const importModule = new Function('url', 'return import(url)') as (
  url: string,
) => Promise<Record<string, unknown>>;
