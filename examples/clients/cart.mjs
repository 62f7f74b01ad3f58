#!/usr/bin/env node
// A client for Node 18 and newer, with what is built in alone. README.md explains each step.

import { randomUUID } from "node:crypto";

const url = process.env.CAIRN_URL ?? "http://127.0.0.1:7878";
const headers = { "Content-Type": "application/json" };
if (process.env.CAIRN_TOKEN) headers.Authorization = `Bearer ${process.env.CAIRN_TOKEN}`;

// POSTs a body, or GETs where there is none. A conflict is an answer too; other refusals end the program.
async function ask(path, body, accept = "application/json") {
  const answer = await fetch(url + path, {
    method: body ? "POST" : "GET",
    headers: { ...headers, Accept: accept },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok && answer.status !== 409) {
    console.error(`${answer.status}: ${(await answer.json()).detail}`);
    process.exit(1);
  }
  return answer;
}

async function append(stream, expectedVersion, event) {
  const answer = await ask(`/streams/${stream}/events`, { expectedVersion, events: [event] });
  return [answer.status, await answer.json()];
}

// The data of server-sent events, whose lines may be cut anywhere.
async function* eventsOf(answer) {
  let text = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length));
  }
}

const itemAdded = (item, cents) => ({ id: randomUUID(), type: "ItemAdded", data: { item, cents } });
const [cart, apple, pear] = [`cart-${randomUUID()}`, itemAdded("apple", 40), itemAdded("pear", 55)];

// 1. An append to a stream that must not be there yet.
const [status, first] = await append(cart, 0, apple);
console.log(`apple: ${status}, version ${first.lastVersion}`);

// 2. One that does not know of the first is refused, and told where the stream is.
const [refused, conflict] = await append(cart, 0, pear);
console.log(`pear: ${refused}, ${conflict.type}, the cart is at ${conflict.currentVersion}`);

// 3. The first once more, as if its answer had been lost: the same id, so nothing is added.
const [repeated, again] = await append(cart, 0, apple);
console.log(`apple again: ${repeated}, version ${again.lastVersion}`);

// 4. Follow the stream, from its first event on and beyond its last.
const following = await ask(`/streams/${cart}/events`, undefined, "text/event-stream");

// 5. The pear again, now that it is known where the stream is.
const [accepted, second] = await append(cart, conflict.currentVersion, pear);
console.log(`pear: ${accepted}, version ${second.lastVersion}`);

// 6. Read back.
const page = await (await ask(`/streams/${cart}/events`)).json();
console.log(`read: ${page.events.map((event) => event.data.item).join(", ")}`);

// 7. The row of the read model, once it has what was just written.
const { row } = await (await ask(`/projections/carts/rows/${cart}?minPosition=${second.lastPosition}&waitMs=30000`)).json();
console.log(`row: ${row.items} items, ${row.cents} cents`);

// 8. What has come to the follower meanwhile.
for await (const event of eventsOf(following)) {
  console.log(`followed: ${event.version} ${event.data.item}`);
  if (event.version === 2) break;
}
