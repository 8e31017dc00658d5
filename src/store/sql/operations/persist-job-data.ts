import type { JobData } from '../../../domain/job-data';
import { formatKey, type JobKey, keyText } from '../../../domain/keys';
import { encodeJobData } from '../rows/job-data';
import { type JobRow, jobKeyColumns, readable, toHex } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { PlannedCompletion } from './complete-locked';

/**
 * Stores what executions returned, in the form their jobs' rows have; of two executions of one job the later completion
 * counts. Data that the form cannot hold is reported and left out: the execution has ended all the same.
 */
export async function persistJobData(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedCompletion[],
  stored: ReadonlyMap<string, Pick<JobRow, 'DETAIL_DATA'>>,
): Promise<void> {
  const returned = new Map<string, { readonly key: JobKey; readonly data: JobData }>();
  for (const { completion, persistsData } of planned) {
    const { key } = completion.firing.jobDetail;
    if (persistsData && completion.jobData !== undefined) returned.set(keyText(key), { key, data: completion.jobData });
  }
  const rows = [...returned].flatMap(([text, { key, data }]) => {
    const owner = `job '${formatKey(key)}'`;
    const options = { stored: stored.get(text)?.DETAIL_DATA ?? null, newForm: node.newDataForm, owner };
    const subject = { what: 'job', name: formatKey(key) } as const;
    const encoded = readable(node, subject, () => ({ bytes: encodeJobData(data, options) }));
    return encoded === null ? [] : [{ ...jobKeyColumns(key), jobData: toHex(encoded.bytes) }];
  });
  await writeRows(tx, 'updateJobData', { schedName: node.schedName }, rows);
}
