import { z } from 'zod';
import type { PauseDetails } from '../../api/reading';
import { instant } from '../fields';
import { instantOf } from './plain';

export const listedPause = z.object({
  reason: z.string().nullable(),
  by: z.string().nullable(),
  since: instant,
  until: instant.nullable(),
  holdsRetries: z.boolean().describe('True if waiting runs of earlier occurrences are paused too.'),
});

export function listedPauseOf(pause: PauseDetails): z.input<typeof listedPause> {
  const { reason, by, since, until, holdsRetries } = pause;
  return { reason, by, since: instantOf(since), until: instantOf(until), holdsRetries };
}
