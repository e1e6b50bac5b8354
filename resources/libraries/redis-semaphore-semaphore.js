// A semaphore with one permit: it excludes as a mutex does.
const { work, ioredis } = require("./work");
const { Semaphore } = require("redis-semaphore");

const connection = ioredis();
const { client } = connection;
work(connection, async (key, lease) => {
  const semaphore = new Semaphore(client, key, 1, { lockTimeout: lease, refreshInterval: 0, acquireTimeout: 400, retryInterval: 200 });
  await semaphore.acquire();
  return () => semaphore.release();
});
