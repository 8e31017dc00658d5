import { describeThrown } from '../base/error-values';
import { describeValue } from '../domain/check-text';
import type { RunDetail } from '../domain/run';
import { isReport } from './run-notes';

/** Maximum size of a stored result as JSON, in bytes. */
const MAX_RESULT_BYTES = 16 * 1024;

/** Returns the result to store, or why it is omitted; neither for null, undefined or a report. Never throws. */
export function resultOf(returned: unknown): Pick<RunDetail, 'result' | 'resultOmitted'> {
  if (returned === undefined || returned === null || isReport(returned)) return {};
  try {
    const text = JSON.stringify(returned);
    if (text === undefined)
      return { resultOmitted: `The job returned ${describeValue(returned)}, which JSON cannot represent.` };
    const size = Buffer.byteLength(text);
    if (size <= MAX_RESULT_BYTES) return { result: JSON.parse(text) };
    return { resultOmitted: `The job returned ${size} bytes as JSON; at most ${MAX_RESULT_BYTES} are kept.` };
  } catch (error) {
    return {
      resultOmitted: `The job returned a value that is not JSON: ${describeThrown(error).split('\n')[0]}`,
    };
  }
}
