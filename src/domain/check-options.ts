import { badArgument } from '../base/errors';
import { nearestName } from '../base/nearest-name';
import { invalidArgument } from './check-text';

/**
 * Throws INVALID_ARGUMENT for an unknown option, or for `true` in place of options. `known`: object whose keys are the options. `otherNames`: names in
 * Quartz and the builders, for the hint.
 */
export function checkOptions<Options extends object>(
  options: Options,
  known: Readonly<Record<keyof Options, unknown>>,
  otherNames: Readonly<Record<string, keyof Options & string>> = {},
): Options {
  const names = Object.keys(known);
  if (typeof options !== 'object' || options === null) {
    throw invalidArgument(`an object as options, such as { ${names[0]}: … }`, options);
  }
  for (const option of Object.keys(options)) {
    if (Object.hasOwn(known, option)) continue;
    const nearest = (Object.hasOwn(otherNames, option) ? otherNames[option] : null) ?? nearestName(option, names);
    const advice = nearest === null ? `Known: ${names.join(', ')}.` : `Did you mean '${nearest}'?`;
    throw badArgument(`There is no option '${option}'. ${advice}`);
  }
  return options;
}

/** Like `checkOptions`, for a parameter that may be omitted. */
export function checkOptional<Options extends object>(
  options: Options | undefined,
  known: Readonly<Record<keyof Options, unknown>>,
  otherNames?: Readonly<Record<string, keyof Options & string>>,
): Partial<Options> {
  return options === undefined ? {} : checkOptions(options, known, otherNames);
}

/**
 * Throws INVALID_ARGUMENT for an option that is present and undefined, such as an environment variable that is not set. `omitted`: the options whose
 * absence changes the meaning of the call, each with the effect of leaving it out.
 */
export function refuseUndefined<Options extends object>(
  options: Options,
  omitted: { readonly [Option in keyof Options]?: string },
): void {
  for (const [option, effect] of Object.entries(omitted)) {
    if (!Object.hasOwn(options, option) || options[option as keyof Options] !== undefined) continue;
    throw badArgument(`${option} is undefined. Leave it out for ${effect as string}, or pass a value.`);
  }
}
