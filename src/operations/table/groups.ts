import { z } from 'zod';
import { GroupMatcher } from '../../domain/keys';
import { LIMITS } from '../../domain/limits';
import { cursorOf, placeIn } from '../cursor';
import { pageFields, pageOf } from '../fields';
import { action, query } from '../operation';
import { listedPause } from '../views/pause-view';
import { pauseFields, pauseOptions, pauseReport, resumeFields } from './pauses';

const kind = z.enum(['triggers', 'jobs']);

const groupFields = {
  name: z.string().min(1).max(LIMITS.group).describe('Name of the group.'),
  of: kind.default('triggers').describe('Kind of group: triggers or jobs.'),
};

const groupPlace = z.tuple([kind, z.string()]);

export const groupsList = query({
  summary: 'Lists the trigger and job groups, and shows which of them are paused.',
  http: { method: 'GET', path: '/groups' },
  command: { words: ['groups', 'list'] },
  input: z.strictObject(pageFields()),
  output: pageOf(
    z.object({
      name: z.string(),
      of: kind,
      isPaused: z
        .boolean()
        .describe('True if the trigger group is paused. Triggers that are added to a paused group start paused.'),
      pause: listedPause.nullable().describe('Reason, author and end of the pause; null if none was given.'),
    }),
  ),
  async run({ control }, { limit, after }) {
    const groups = await control.readGroups();
    const [afterKind, afterName] = after === undefined ? ['triggers', ''] : placeIn(after, groupPlace);
    const isBehind = ({ of, name }: (typeof groups)[number]) => (of === afterKind ? name > afterName : of === 'jobs');
    const behind = groups.filter(isBehind);
    const items = behind.slice(0, limit);
    const last = behind.length > limit ? items.at(-1) : undefined;
    return {
      items: items,
      next: last === undefined ? null : cursorOf([last.of, last.name]),
    };
  },
});

export const groupsPause = action('operator', {
  summary:
    'Pauses a trigger group with its waiting retries and triggers added later, or the current triggers of a job group.',
  http: { method: 'POST', path: '/groups/:name/pause' },
  command: { words: ['groups', 'pause'], aliases: [['pause', 'group']], arguments: ['name'] },
  input: z.strictObject({ ...groupFields, ...pauseFields }),
  output: pauseReport,
  async run(context, { name, of, ...explanation }) {
    const { scheduler } = context;
    const [group, options] = [GroupMatcher.groupEquals(name), pauseOptions(context, explanation)];
    return of === 'jobs' ? scheduler.pauseJobs(group, options) : scheduler.pauseTriggers(group, options);
  },
});

export const groupsResume = action('operator', {
  summary:
    'Resumes the triggers of a group and their waiting retries. Pauses of single triggers and jobs stay, unless `alsoSingle` is set. Missed ' +
    "fire times follow each trigger's misfire policy.",
  http: { method: 'POST', path: '/groups/:name/resume' },
  command: { words: ['groups', 'resume'], aliases: [['resume', 'group']], arguments: ['name'] },
  input: z.strictObject({ ...groupFields, ...resumeFields }),
  output: z.object({}),
  async run({ scheduler }, { name, of, ...options }) {
    const group = GroupMatcher.groupEquals(name);
    await (of === 'jobs' ? scheduler.resumeJobs(group, options) : scheduler.resumeTriggers(group, options));
    return {};
  },
});
