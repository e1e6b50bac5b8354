// The same with the usual refresh: the library renews the lease while the process is alive.
const { work, ioredis } = require("./work");
const { Mutex } = require("redis-semaphore");

const connection = ioredis();
const { client } = connection;
work(connection, async (key, lease) => {
  const mutex = new Mutex(client, key, { lockTimeout: lease, refreshInterval: lease * 0.8, acquireTimeout: 400, retryInterval: 200 });
  await mutex.acquire();
  return () => mutex.release();
});
