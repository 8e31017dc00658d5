/**
 * Native `import()`, which also loads modules with top-level await. `scripts/build.mjs` keeps it native in `build/`. Pass only modules that the operator or
 * the user's code names, never a value from a schedule file or a stored row.
 */
export const importModule = (url: string): Promise<Record<string, unknown>> => import(url);
