const { work, ioredis } = require("./work");
const { Mutex } = require("redis-semaphore");

const connection = ioredis();
const { client } = connection;
work(connection, async (key, lease) => {
  const mutex = new Mutex(client, key, { lockTimeout: lease, refreshInterval: 0, acquireTimeout: 400, retryInterval: 200 });
  await mutex.acquire();
  return () => mutex.release();
});
