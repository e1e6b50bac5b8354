const { work, ioredis } = require("./work");
const { createLock, IoredisAdapter } = require("redlock-universal");

const connection = ioredis();
const { client } = connection;
work(connection, async (key, lease) => {
  const lock = createLock({ adapter: new IoredisAdapter(client), key, ttl: lease, retryAttempts: 2, retryDelay: 200 });
  const handle = await lock.acquire();
  return () => lock.release(handle);
});
