import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { place } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { ask } from '../ui/confirm';
import { Deed } from '../ui/deeds';
import { Pages } from '../ui/filters';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';
import { RUN_COLUMNS, RunFilters, runInput } from './runs';

type Run = OutputOf<'deadLetters.list'>['items'][number];

/** Columns that the page of the run has: beside its actions, a dead letter needs the room for its error. */
const ON_ITS_PAGE: ReadonlySet<string> = new Set(['Trigger', 'Start delay', 'Took']);

/** Runs that have failed for good, with their actions. */
export function DeadLettersPage() {
  const input = runInput(place.value.query);
  const letters = useOperation('deadLetters.list', input);
  const columns: readonly Column<Run>[] = [
    ...RUN_COLUMNS.filter(({ name }) => !ON_ITS_PAGE.has(name)),
    {
      name: 'Actions',
      isActions: true,
      cell: (run) => (
        <>
          <Rerun run={run} onDone={letters.again} />
          <Deed operation="deadLetters.setRetries" act={() => askRetries(run, letters.again)}>
            More attempts
          </Deed>
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
              <RerunAll input={input} onDone={letters.again} />
              <Deed operation="deadLetters.discard" act={() => askDiscardAll(input, letters.again)}>
                Discard all
              </Deed>
            </>
          )
        }
      />
      <RunFilters />
      <section class="panel" aria-label="Dead letters">
        <AskedTable
          asked={letters}
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
    ask({
      title: `Run ${keyText(job)} again?`,
      body: 'At once, with the scheduled time and the data it had.',
      deed: 'Run again',
      isDestructive: false,
      act: () => call('deadLetters.rerun', { runIds: [runId] }).then(onDone),
    });
  return (
    <button type="button" onClick={rerun}>
      Run again
    </button>
  );
}

/** For a run whose cause may need more than one further attempt. */
export function askRetries({ runId, job }: Pick<Run, 'runId' | 'job'>, onDone: () => void): void {
  ask({
    title: `More attempts for ${keyText(job)}?`,
    body: (
      <label class="field">
        <span>Further attempts</span>
        <input name="max" type="number" min={1} max={1_000} value={3} required />
        <small>The first begins at once, the others after the delays of its retry policy.</small>
      </label>
    ),
    deed: 'Try again',
    isDestructive: false,
    act: (said) => call('deadLetters.setRetries', { runIds: [runId], max: Number(said.get('max')) }).then(onDone),
  });
}

interface AllProps {
  readonly input: ReturnType<typeof runInput>;
  readonly onDone: () => void;
}

function askDiscardAll({ limit: _, after: __, ...filter }: AllProps['input'], onDone: () => void): void {
  ask({
    title: 'Discard all that match?',
    body: 'Every dead letter that the filters above find, on all pages. They stay in the history as failed runs, and are no longer listed here.',
    deed: 'Discard all',
    isDestructive: true,
    act: () => call('deadLetters.discard', { all: true, ...filter }).then(onDone),
  });
}

function RerunAll({ input, onDone }: AllProps) {
  if (!may('operator')) return null;
  const { limit: _, after: __, ...filter } = input;
  const rerun = () =>
    ask({
      title: 'Run all that match again?',
      body: 'Every dead letter that the filters above find, on all pages, at once.',
      deed: 'Run all again',
      isDestructive: false,
      act: () => call('deadLetters.rerun', { all: true, ...filter }).then(onDone),
    });
  return (
    <button type="button" onClick={rerun}>
      Run all again
    </button>
  );
}
