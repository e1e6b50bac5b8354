// The work of every program here: it adds one to a stock under a lock. ECHO tells the race finder that the process is
// inside. connection: { client, send(...words), end() }. acquire(key, lease): returns a function that releases the lock,
// or nothing if another process holds it. The lease is in milliseconds.
"use strict";

async function work({ send, end }, acquire) {
  try {
    const release = await acquire("lock:order:1", 10000);
    if (!release) return;
    await send("ECHO", "latchkey:inside:order");
    const stock = Number(await send("GET", "order:1")) || 0;
    await send("SET", "order:1", String(stock + 1));
    await send("ECHO", "latchkey:outside:order");
    await release();
  } catch (error) {
    console.error(error.message); // The lock has ended, or another process holds it.
  } finally {
    end();
  }
}

function ioredis() {
  const client = new (require("ioredis"))(process.env.REDIS_URL);
  return { client, send: (...words) => client.call(...words), end: () => client.disconnect() };
}

async function nodeRedis(name = "redis") {
  const client = await require(name).createClient({ url: process.env.REDIS_URL }).connect();
  return { client, send: (...words) => client.sendCommand(words), end: () => (client.destroy ?? client.disconnect).call(client) };
}

/// Version 3, for libraries from before the promises.
function nodeRedis3() {
  const client = require("redis3").createClient(process.env.REDIS_URL);
  const send = (name, ...words) =>
    new Promise((done, fail) => client.send_command(name, words, (error, reply) => (error ? fail(error) : done(reply))));
  return { client, send, end: () => client.end(true) };
}

module.exports = { work, ioredis, nodeRedis, nodeRedis3 };
