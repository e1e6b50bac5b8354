const { promisify } = require("util");
const { work, nodeRedis3 } = require("./work");
const Lock = require("node-redis-lock");

const connection = nodeRedis3();
const lock = new Lock({}, connection.client);
work(connection, async (key, lease) => {
  await promisify(lock.acquire).call(lock, key, lease / 1000);
  return () => promisify(lock.release).call(lock, key);
});
