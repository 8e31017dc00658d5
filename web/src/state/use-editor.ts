import { useEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { Problem } from '../../../src/operations/problem';
import {
  changesBetween,
  type Definition,
  type FieldSpec,
  type FormValues,
  pickFields,
  readForm,
  toFormValues,
} from '../ui/form-values';
import { unsaved } from './unsaved';

/** Stored definition and its version, at the time of loading. */
export interface Loaded {
  readonly definition: Definition;
  readonly version: string;
  readonly owner?: OutputOf<'triggers.show'>['owner'];
}

export interface Editor {
  readonly values: FormValues;
  readonly loaded: Loaded | null;
  /** True if the form can be edited: its definition is new or has been loaded. */
  readonly isReady: boolean;
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** Definition that another user has stored since the form was loaded. Null if there is none. */
  readonly newer: Loaded | null;
  set(name: string, text: string): void;
  /** Calls `act` and stores its error for display. After CHANGED_MEANWHILE, also loads the newer definition. */
  save(act: () => Promise<unknown>): Promise<void>;
  /** Loads the stored definition and discards the user's changes. */
  load(): void;
  /** Applies the user's changes to the newer stored definition. */
  rebase(specs: readonly FieldSpec[]): void;
}

interface Source {
  readonly specs: readonly FieldSpec[];
  /** Loads the stored definition. Null if the form adds a new one. */
  readonly load: (() => Promise<Loaded>) | null;
  readonly initial?: FormValues;
}

/** State of a form that edits a definition. Saves with the version that it loaded, so that it cannot overwrite another user's changes. */
export function useEditor({ specs, load, initial = {} }: Source): Editor {
  const [values, setValues] = useState<FormValues>(initial);
  /** Values of the fields before the user changes them. */
  const [pristine, setPristine] = useState<FormValues>(initial);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [newer, setNewer] = useState<Loaded | null>(null);
  const [state, setState] = useState<{ readonly error: Error | null; readonly isBusy: boolean }>({
    error: null,
    isBusy: false,
  });
  const applyLoaded = (next: Loaded) => {
    setLoaded(next);
    setValues(toFormValues(next.definition, specs));
    setPristine(toFormValues(next.definition, specs));
    setNewer(null);
    setState({ error: null, isBusy: false });
  };
  const fail = (error: Error) => setState({ error, isBusy: false });
  const reload = () => void load?.().then(applyLoaded, fail);
  useEffect(reload, []);
  const isChanged = Object.entries(values).some(([name, text]) => text !== (pristine[name] ?? ''));
  useEffect(() => {
    unsaved.value = isChanged ? 'Unsaved changes' : null;
    return () => {
      unsaved.value = null;
    };
  }, [isChanged]);
  const save = async (act: () => Promise<unknown>) => {
    setState({ error: null, isBusy: true });
    try {
      unsaved.value = null; // a successful save leads to another page
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
    const { changed, clear } = changesBetween(pickFields(loaded.definition, specs), readForm(values, own));
    const kept = Object.entries(newer.definition).filter(([name]) => !clear.includes(name));
    setValues({ kind: values.kind ?? '', ...toFormValues({ ...Object.fromEntries(kept), ...changed }, specs) });
    setLoaded(newer);
    setNewer(null);
    setState({ error: null, isBusy: false });
  };
  const set = (name: string, text: string) => setValues((old) => ({ ...old, [name]: text }));
  return {
    values,
    loaded,
    isReady: load === null || loaded !== null,
    newer,
    ...state,
    set,
    save,
    load: reload,
    rebase,
  };
}
