// node event-readers.mjs URL COUNT: reads so many streams of events, and says OPEN when all have begun. Ends with its input.
import { Agent, get } from 'node:http';

const [url, count] = process.argv.slice(2);
const agent = new Agent({ keepAlive: false, maxSockets: Number(count) });
let open = 0;
for (let reader = 0; reader < Number(count); reader++) {
  get(url, { agent }, (response) => {
    response.once('data', () => ++open === Number(count) && console.log('OPEN'));
    response.resume();
    response.on('error', () => {}); // the node has ended
  }).on('error', () => {});
}
process.stdin.on('end', () => process.exit()).resume();
