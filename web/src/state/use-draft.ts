import { useEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { Problem } from '../../../src/operations/problem';
import { type Definition, type Draft, draftOf, editOf, type FieldSpec, readDraft, shownOf } from '../ui/draft';
import { unsaved } from './leaving';

/** What is edited, as it was loaded. */
export interface Loaded {
  readonly definition: Definition;
  readonly version: string;
  readonly owner?: OutputOf<'triggers.show'>['owner'];
}

export interface Editing {
  readonly draft: Draft;
  readonly loaded: Loaded | null;
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** What is stored, where somebody else has changed it. */
  readonly newer: Loaded | null;
  set(name: string, text: string): void;
  /** Runs it, and keeps what goes wrong. */
  save(act: () => Promise<unknown>): Promise<void>;
  /** Begins anew with what is stored. */
  load(): void;
  /** Keeps what was changed, upon what is stored. */
  rebase(specs: readonly FieldSpec[]): void;
}

interface Source {
  readonly specs: readonly FieldSpec[];
  /** Null: a new one. */
  readonly load: (() => Promise<Loaded>) | null;
  readonly initial?: Draft;
}

/** A form over a definition: loaded once, changed here, and saved with the version that it was made from. */
export function useDraft({ specs, load, initial = {} }: Source): Editing {
  const [draft, setDraft] = useState<Draft>(initial);
  /** What the form held before anything was typed. */
  const [pristine, setPristine] = useState<Draft>(initial);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [newer, setNewer] = useState<Loaded | null>(null);
  const [state, setState] = useState<{ readonly error: Error | null; readonly isBusy: boolean }>({
    error: null,
    isBusy: load !== null, // there is nothing to save it upon yet
  });
  const take = (next: Loaded, typed: (old: Draft) => Draft = () => ({})) => {
    setLoaded(next);
    setDraft((old) => ({ ...draftOf(next.definition, specs), ...typed(old) }));
    setPristine(draftOf(next.definition, specs));
    setNewer(null);
    setState({ error: null, isBusy: false });
  };
  const fail = (error: Error) => setState({ error, isBusy: false });
  const reload = () => void load?.().then((next) => take(next), fail);
  // What was typed before the definition came is kept.
  const sinceOpened = (old: Draft) =>
    Object.fromEntries(Object.entries(old).filter(([name, text]) => text !== (initial[name] ?? '')));
  useEffect(() => void load?.().then((next) => take(next, sinceOpened), fail), []);
  const isChanged = Object.entries(draft).some(([name, text]) => text !== (pristine[name] ?? ''));
  useEffect(() => {
    unsaved.value = isChanged ? 'Unsaved changes' : null;
    return () => {
      unsaved.value = null;
    };
  }, [isChanged]);
  const save = async (act: () => Promise<unknown>) => {
    setState({ error: null, isBusy: true });
    try {
      unsaved.value = null; // saving leads to another page
      await act();
      setState({ error: null, isBusy: false });
    } catch (error) {
      unsaved.value = 'Unsaved changes';
      fail(error as Error);
      if (error instanceof Problem && error.code === 'CHANGED_MEANWHILE') load?.().then(setNewer, fail);
    }
  };
  const rebase = (own: readonly FieldSpec[]) => {
    if (newer === null || loaded === null) return;
    const { changed, clear } = editOf(readDraft(draft, own), shownOf(loaded.definition, specs));
    const kept = Object.entries(newer.definition).filter(([name]) => !clear.includes(name));
    setDraft({ kind: draft.kind ?? '', ...draftOf({ ...Object.fromEntries(kept), ...changed }, specs) });
    setLoaded(newer);
    setNewer(null);
    setState({ error: null, isBusy: false });
  };
  const set = (name: string, text: string) => setDraft((old) => ({ ...old, [name]: text }));
  return { draft, loaded, newer, ...state, set, save, load: reload, rebase };
}
