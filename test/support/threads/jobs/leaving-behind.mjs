/** Leaves an event, a timer or a promise behind that throws. */
export default async () => {
  const channel = new BroadcastChannel('leaving-behind');
  const fail = () => {
    throw new Error('left behind');
  };
  channel.onmessage = ({ data }) => {
    if (data === 'timer') setTimeout(fail, 0);
    else if (data === 'promise') void (async () => fail())();
    else fail();
  };
};
