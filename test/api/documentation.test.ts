import { join } from 'node:path';
import { freshDist } from '../support/fresh-dist';
import { publicMembers } from './public-members';

it('every public name and member says in an editor what it is', () => {
  const members = publicMembers(['index.d.ts', 'testing.d.ts'].map((entry) => join(freshDist(), entry)));
  expect(members.length).toBeGreaterThan(500);
  expect(members.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)).toEqual([]);
}, 60_000);
