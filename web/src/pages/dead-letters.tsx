import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { route } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { ActionButton } from '../ui/action-button';
import { confirmAction } from '../ui/confirm';
import { Pages } from '../ui/filters';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { type Column, ResultTable } from '../ui/table';
import { RUN_COLUMNS, RunFilters, runInput } from './runs';

type Run = OutputOf<'deadLetters.list'>['items'][number];

/** Columns that this list omits, to leave space for the error and the actions. The page of a run shows them. */
const ON_ITS_PAGE: ReadonlySet<string> = new Set(['Trigger', 'Lateness', 'Duration']);

export function DeadLettersPage() {
  const input = runInput(route.value.query);
  const letters = useOperation('deadLetters.list', input);
  const columns: readonly Column<Run>[] = [
    ...RUN_COLUMNS.filter(({ name }) => !ON_ITS_PAGE.has(name)),
    {
      name: 'Actions',
      isActions: true,
      cell: (run) => (
        <>
          <Rerun run={run} onDone={letters.reload} />
          <ActionButton operation="deadLetters.setRetries" act={() => confirmAddAttempts(run, letters.reload)}>
            Add attempts
          </ActionButton>
        </>
      ),
    },
  ];
  return (
    <>
      <Heading
        title="Dead letters"
        actions={
          letters.data?.items.length !== 0 && (
            <>
              <RerunAll input={input} onDone={letters.reload} />
              <ActionButton operation="deadLetters.discard" act={() => confirmDiscardAll(input, letters.reload)}>
                Discard all
              </ActionButton>
            </>
          )
        }
      />
      <RunFilters />
      <section class="panel" aria-label="Dead letters">
        <ResultTable
          result={letters}
          caption="Dead letters, newest first"
          columns={columns}
          keyOf={({ runId }) => runId}
          empty="No dead letters. Runs that exhaust their retries appear here until you rerun or discard them."
        />
      </section>
      <Pages next={letters.data?.next} />
    </>
  );
}

function Rerun({ run: { runId, job }, onDone }: { readonly run: Run; readonly onDone: () => void }) {
  if (!may('operator')) return null;
  const rerun = () =>
    confirmAction({
      title: `Rerun ${keyText(job)}?`,
      body: 'Runs the job again immediately, with the same scheduled time and data. This cannot be undone, but you can interrupt the run.',
      confirmLabel: 'Rerun',
      isDestructive: false,
      act: () => call('deadLetters.rerun', { runIds: [runId] }).then(onDone),
    });
  return (
    <button type="button" onClick={rerun}>
      Rerun
    </button>
  );
}

export function confirmAddAttempts({ runId, job }: Pick<Run, 'runId' | 'job'>, onDone: () => void): void {
  confirmAction({
    title: `Add attempts to ${keyText(job)}?`,
    body: (
      <label class="field">
        <span>Attempts</span>
        <input name="max" type="number" min={1} max={1_000} value={3} required />
        <small>The first attempt starts immediately. Further attempts follow the delays of the retry policy.</small>
      </label>
    ),
    confirmLabel: 'Add attempts',
    isDestructive: false,
    act: (form) => call('deadLetters.setRetries', { runIds: [runId], max: Number(form.get('max')) }).then(onDone),
  });
}

interface AllProps {
  readonly input: ReturnType<typeof runInput>;
  readonly onDone: () => void;
}

function confirmDiscardAll({ limit: _, after: __, ...filter }: AllProps['input'], onDone: () => void): void {
  confirmAction({
    title: 'Discard all matching dead letters?',
    body: 'Discards every dead letter that matches the filters, on all pages. The runs stay in the history as failed. This cannot be undone.',
    confirmLabel: 'Discard all',
    isDestructive: true,
    act: () => call('deadLetters.discard', { all: true, ...filter }).then(onDone),
  });
}

function RerunAll({ input, onDone }: AllProps) {
  if (!may('operator')) return null;
  const { limit: _, after: __, ...filter } = input;
  const rerun = () =>
    confirmAction({
      title: 'Rerun all matching dead letters?',
      body: 'Reruns every dead letter that matches the filters, on all pages, immediately. This cannot be undone, but you can interrupt the runs.',
      confirmLabel: 'Rerun all',
      isDestructive: false,
      act: () => call('deadLetters.rerun', { all: true, ...filter }).then(onDone),
    });
  return (
    <button type="button" onClick={rerun}>
      Rerun all
    </button>
  );
}
