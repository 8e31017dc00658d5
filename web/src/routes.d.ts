declare module 'quartz-ts:routes' {
  /** Where each operation is found, and who may do it. */
  export const ROUTES: import('../../src/operations/route-manifest').RouteManifest;
}
declare module '*.css';
