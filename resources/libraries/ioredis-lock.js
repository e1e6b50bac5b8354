const { work, ioredis } = require("./work");
const { createLock } = require("ioredis-lock");

const connection = ioredis();
const { client } = connection;
const lock = createLock(client, { timeout: 10000, retries: 2, delay: 200, jitter: 1 });
work(connection, async key => {
  await lock.acquire(key);
  return () => lock.release();
});
