const { work, ioredis } = require("./work");
const Redlock = require("redlock4");

const connection = ioredis();
const { client } = connection;
const redlock = new Redlock([client], { retryCount: 2, retryDelay: 200, retryJitter: 0 });
work(connection, async (key, lease) => {
  const lock = await redlock.lock(key, lease);
  return () => lock.unlock();
});
