import { OpenSessions } from '../../../../src/store/sql/mysql/connection-watch';

describe('connections to a replaced database server', () => {
  const setUp = () => {
    const open = new OpenSessions(() => Promise.reject(new Error('not asked')));
    const discarded: string[] = [];
    const connect = (name: string, server: string | null) => {
      const session = {
        id: 1,
        server,
        silenceMs: 0,
        discard: () => {
          discarded.push(name);
          open.delete(session);
        },
      };
      open.add(session);
    };
    return { open, discarded, connect };
  };

  it('are all dropped when the first writing role connects to the new server', () => {
    const { open, discarded, connect } = setUp();
    connect('read', 'a');
    connect('bell', null);
    connect('scheduler', 'a');
    open.arrived('scheduler', 'a');
    open.arrived('completions', 'a');
    expect(discarded).toEqual([]);
    open.arrived('checkIn', 'a');
    open.arrived('checkIn', 'b');
    expect(discarded).toEqual(['read', 'bell', 'scheduler']);
  });

  it('are dropped once, so connections to the new server stay when further roles connect', () => {
    const { open, discarded, connect } = setUp();
    for (const role of ['scheduler', 'completions']) open.arrived(role, 'a');
    open.arrived('scheduler', 'b');
    connect('read', 'b');
    open.arrived('completions', 'b');
    expect(discarded).toEqual([]);
  });

  it('stay if a proxy distributes connections over several writing servers', () => {
    const { open, discarded, connect } = setUp();
    open.arrived('scheduler', 'a');
    open.arrived('completions', 'b');
    connect('read', 'c');
    open.arrived('completions', 'a');
    expect(discarded).toEqual([]);
  });

  it('stay if the server cannot be identified', () => {
    const { open, discarded, connect } = setUp();
    open.arrived('scheduler', 'a');
    connect('read', 'a');
    open.arrived('scheduler', null);
    expect(discarded).toEqual([]);
  });
});
