import { OpenSessions } from '../../../../src/store/sql/mysql/connection-watch';

describe('connections to a server that another one has replaced', () => {
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

  it('are dropped as soon as a role that writes arrives at the new server: those that read and those that wait for rings too', () => {
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

  it('are dropped once: connections to the new server stay when the other roles arrive there', () => {
    const { open, discarded, connect } = setUp();
    for (const role of ['scheduler', 'completions']) open.arrived(role, 'a');
    open.arrived('scheduler', 'b');
    connect('read', 'b');
    open.arrived('completions', 'b');
    expect(discarded).toEqual([]);
  });

  it('stay if a proxy spreads the connections of a cluster with several writers over its servers', () => {
    const { open, discarded, connect } = setUp();
    open.arrived('scheduler', 'a');
    open.arrived('completions', 'b');
    connect('read', 'c');
    open.arrived('completions', 'a');
    expect(discarded).toEqual([]);
  });

  it('stay if the server cannot be told', () => {
    const { open, discarded, connect } = setUp();
    open.arrived('scheduler', 'a');
    connect('read', 'a');
    open.arrived('scheduler', null);
    expect(discarded).toEqual([]);
  });
});
