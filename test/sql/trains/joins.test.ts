import { rulesOf } from '../../../src/store/sql/rows/sql-node';
import { GatedDriver } from '../../support/database/gated-driver';
import { openStores, type StoreDatabase, testNode } from '../../support/database/sql-store';
import {
  createDatabase,
  describeOnServer,
  sharedServer,
  type TestDatabase,
} from '../../support/database/test-database';
import { type FlushFault, PacketGate } from '../../support/packet-gate';
import { RECOVERY, TrainNode } from './scene';
import { endsFlush } from './stage';

describeOnServer('a node that joins under a new id', () => {
  let database: TestDatabase;
  let packets: PacketGate;
  let connections: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    packets = await PacketGate.before(database.url, endsFlush);
    connections = await openStores(packets.url);
  });

  afterAll(async () => {
    await connections.close();
    await packets.close();
    await database.drop();
  });

  async function joining() {
    const { schedName } = testNode();
    const gate = new GatedDriver(connections.driver, 'insertNode');
    const node = new TrainNode(gate, schedName, 'mine');
    await node.open();
    await node.store.ensureRules(rulesOf(testNode()));
    const stored = async () => (await node.stores.cluster.readNodes()).nodes.map(({ epoch }) => epoch);
    return { node, gate, stored, join: () => node.stores.cluster.join(node.identity, null, RECOVERY) };
  }

  it('joins with a single script', async () => {
    const { gate, stored, join } = await joining();
    await expect(join()).resolves.toMatchObject({ status: 'joined' });
    expect(gate.answers).toEqual([[]]);
    expect(await stored()).toEqual(['mine']);
  });

  it.each<FlushFault>(['lost', 'answerLost', 'late'])('joins once if its flush is %s', async (fault) => {
    const { gate, stored, join } = await joining();
    gate.at('flush', async () => packets.faultNextFlush(fault));
    await expect(join()).resolves.toMatchObject({ status: 'joined' });
    expect(gate.clear()).toEqual([]);
    await packets.deliver();
    expect(await stored()).toEqual(['mine']);
  });

  it('is refused, without changes, if another node has joined under the same id first', async () => {
    const { node, gate, stored, join } = await joining();
    const other = { ...node.identity, epoch: 'other' };
    gate.at('flush', async () => void (await node.stores.cluster.join(other, null, RECOVERY)));
    await expect(join()).resolves.toMatchObject({ status: 'taken' });
    expect(await stored()).toEqual(['other']);
  });
});
