// A counter that is given its lifetime by a second command, over ioredis, which sends again what it has no reply to.
const Redis = require("ioredis");
const client = new Redis(process.env.REDIS_URL);
(async () => {
  if (await client.incr("hits") === 1) await client.expire("hits", 60);
  client.disconnect();
})();
