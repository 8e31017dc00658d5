import { ERROR_CODES } from '../../../src/base/errors';
import { EVENT_TYPES } from '../../../src/events/log-subscriber';
import { isServerSkipped } from '../../support/database/test-database';
import { optionsOf } from './command-line/command';
import { cronProofs } from './command-line/cron';
import { commandLineEntries } from './command-line/entries';
import { fileProofs } from './command-line/files';
import { operationProofs } from './command-line/operations';
import { processProofs } from './command-line/processes';
import { endWatched, watchProofs } from './command-line/watching';
import { configurationEntries } from './configuration/entries';
import { configurationProofs } from './configuration/proofs';
import { errorEntries, errorProofs } from './errors/proofs';
import { clusterEventProofs } from './events/cluster';
import { oneNodeProofs } from './events/one-node';
import { eventEntries } from './events/told';
import { fileCalendarProofs } from './schedule-file/calendars';
import { keysOfSchedules, scheduleFileEntries } from './schedule-file/entries';
import { fileJobProofs } from './schedule-file/jobs';
import { fileMisfireProofs } from './schedule-file/misfires';
import { fileTriggerProofs } from './schedule-file/triggers';
import { allOf, isOnServer, type Proofs } from './support/proof';
import { closeAll, deleteFolders } from './support/world';

/** What each page of the reference promises, and the proofs that it is so. */
const PAGES: readonly (readonly [string, readonly string[], Proofs])[] = [
  ['configuration.md', configurationEntries(), configurationProofs],
  ['errors.md', errorEntries(), errorProofs],
  ['events.md', eventEntries(), allOf(oneNodeProofs, clusterEventProofs)],
  ['command-line.md', commandLineEntries(), allOf(cronProofs, fileProofs, processProofs, operationProofs, watchProofs)],
  [
    'schedule-file.md',
    scheduleFileEntries(),
    allOf(fileJobProofs, fileCalendarProofs, fileTriggerProofs, fileMisfireProofs),
  ],
];

/** For processes on a machine that is busy with something else. Milliseconds. */
const PATIENCE = 90_000;

afterEach(closeAll);
afterAll(endWatched);
afterAll(deleteFolders);

it('every error code, event and option of a command that there is has an entry', async () => {
  expect(errorEntries().toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
  expect(eventEntries().toSorted()).toEqual(EVENT_TYPES.toSorted());
  const commands = commandLineEntries().filter((entry) => /^[a-z ]+$/.test(entry) && !entry.includes('-'));
  const options = await Promise.all(
    commands.map(async (name) => (await optionsOf(name)).map((each) => `${name} ${each}`)),
  );
  const documented = commandLineEntries().filter((entry) => / --/.test(entry) && !entry.startsWith('Operations '));
  expect(documented.toSorted()).toEqual(options.flat().toSorted());
  const ofOperations = commandLineEntries().filter((entry) => entry.startsWith('Operations --'));
  const withAll = [...(await optionsOf('nodes list')), '--all', '--file', '--yes'];
  expect(ofOperations.toSorted()).toEqual(withAll.map((option) => `Operations ${option}`).toSorted());
  expect(scheduleFileEntries()).toEqual(expect.arrayContaining([...keysOfSchedules()]));
});

describe.each(PAGES)('docs/reference/%s', (_, entries, proofs) => {
  it('names each thing once, and nothing is proved that it does not name', () => {
    expect(entries.length).toBeGreaterThan(10);
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
    expect(Object.keys(proofs).filter((entry) => !entries.includes(entry))).toEqual([]);
  });

  for (const entry of entries) {
    const proof = Object.hasOwn(proofs, entry) ? proofs[entry] : undefined;
    const prove = isOnServer(proof) && isServerSkipped ? it.skip : it;
    prove(
      entry,
      async () => {
        if (proof === undefined)
          throw new Error(`Nothing proves that '${entry}' has an effect: write a proof, or document it no more.`);
        expect.hasAssertions();
        await proof();
      },
      PATIENCE,
    );
  }
});
