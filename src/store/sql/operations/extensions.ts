import { CHECKPOINTS } from './checkpoints';
import { saveDeclarations } from './declarations';
import { EXPECTATIONS } from './expectations';
import type { Extension } from './extension';
import { LIMITS } from './limits';
import { PARTS } from './lost-parts';
import { MISFIRED } from './misfired';
import { PAUSES } from './pauses';
import { PLACES } from './places';
import { RATES } from './rates-of-changes';
import { RUNS } from './write-runs';

const DECLARATIONS: Extension = { stored: (tx, { declared }) => saveDeclarations(tx, declared) };

/** All extensions, in the order in which their rows are written. */
export const EXTENSIONS: readonly Extension[] = [
  DECLARATIONS,
  PAUSES,
  RUNS,
  PLACES,
  MISFIRED,
  EXPECTATIONS,
  LIMITS,
  CHECKPOINTS,
  RATES,
  PARTS,
];
