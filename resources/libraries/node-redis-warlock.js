const { promisify } = require("util");
const { work, nodeRedis3 } = require("./work");
const createWarlock = require("node-redis-warlock");

const connection = nodeRedis3();
const warlock = createWarlock(connection.client);
work(connection, async (key, lease) => {
  const unlock = await promisify(warlock.lock).call(warlock, key, lease);
  return unlock && promisify(unlock);
});
