/**
 * Node's own `import()`, for ES modules and CommonJS alike: the compiler would turn a written one into `require`, which
 * cannot load a module with top-level await. For the modules that the operator or the code of the user names; nothing from a file or a
 * row gets here.
 */
export const importModule = new Function('url', 'return import(url)') as (
  url: string,
) => Promise<Record<string, unknown>>;
