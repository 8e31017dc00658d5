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
