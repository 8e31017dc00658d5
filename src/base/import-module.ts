/**
 * Node's own `import()`, for ES modules and CommonJS. The compiler would turn a literal `import()` into `require`,
 * which cannot load modules with top-level await.
 *
 * Only for modules that the operator or the user's code names. Never pass values from a schedule file or a stored row.
 */
export const importModule = new Function('url', 'return import(url)') as (
  url: string,
) => Promise<Record<string, unknown>>;
