export type { Authenticator } from './console/authenticator';
export type { Console, ConsoleOptions } from './console/console-options';
export { createConsole } from './console/create-console';
export type { Actor } from './operations/operation-context';
export { Problem, type ProblemCode } from './operations/problem';
export type { Role } from './operations/role';
