import { nearestName } from '../base/nearest-name';
import { beginning } from '../domain/recorded-input';
import { quartzStateHint } from '../domain/trigger-state';

const MAX_SHOWN = 60;

export function choiceMessage(found: unknown, choices: readonly string[]): string {
  const text = typeof found === 'string' ? beginning(found, MAX_SHOWN) : null;
  const nearest = text === null ? null : nearestName(text, choices);
  const hint = quartzStateHint(text, choices) ?? (nearest === null ? null : `Did you mean '${nearest}'?`);
  const expected = `expected ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}${text === null ? '' : `, found '${text}'`}`;
  return hint === null ? expected : `${expected}. ${hint}`;
}
