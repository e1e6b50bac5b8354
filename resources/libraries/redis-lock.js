const { work, nodeRedis } = require("./work");
const createLock = require("redis-lock");

nodeRedis("redis4").then(connection => {
  const lock = createLock(connection.client, 200);
  return work(connection, (key, lease) => lock(key, lease));
});
