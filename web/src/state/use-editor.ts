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

/** Definition as it was loaded. */
export interface Loaded {
  readonly definition: Definition;
  readonly version: string;
  readonly owner?: OutputOf<'triggers.show'>['owner'];
}

export interface Editor {
  readonly values: FormValues;
  readonly loaded: Loaded | null;
  /** True if the form can be filled in: the definition is new, or is loaded. */
  readonly isReady: boolean;
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** Stored definition, if someone else has changed it since it was loaded. */
  readonly newer: Loaded | null;
  set(name: string, text: string): void;
  /** Runs `act`, and keeps its error. */
  save(act: () => Promise<unknown>): Promise<void>;
  /** Replaces the form with the stored definition. */
  load(): void;
  /** Applies the changes of the form to the stored definition. */
  rebase(specs: readonly FieldSpec[]): void;
}

interface Source {
  readonly specs: readonly FieldSpec[];
  /** Loads the stored definition. Null for a new one. */
  readonly load: (() => Promise<Loaded>) | null;
  readonly initial?: FormValues;
}

/** Form for a definition: loaded once, changed here, and saved with the version that it was loaded with. */
export function useEditor({ specs, load, initial = {} }: Source): Editor {
  const [values, setValues] = useState<FormValues>(initial);
  /** Values before the first change. */
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
