/** What it leaves behind throws when it is told to. */
export default async () => {
  const channel = new BroadcastChannel('leaving-behind');
  channel.onmessage = () => {
    throw new Error('left behind');
  };
};
