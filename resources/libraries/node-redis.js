// No library: the lock as the documentation of Redis describes it, with its script for the release.
const { randomUUID } = require("crypto");
const { work, nodeRedis } = require("./work");

const release = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end';
nodeRedis().then(connection => work(connection, async (key, lease) => {
  const { client } = connection;
  const token = randomUUID();
  if (!await client.set(key, token, { NX: true, PX: lease })) return undefined;
  return () => client.eval(release, { keys: [key], arguments: [token] });
}));
