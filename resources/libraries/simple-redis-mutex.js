const { work, nodeRedis } = require("./work");

(async () => {
  const { tryLock } = await import("simple-redis-mutex");
  const connection = await nodeRedis();
  await work(connection, async (key, lease) => {
    const [isLocked, release] = await tryLock(connection.client, key, { timeout: lease });
    return isLocked ? release : undefined;
  });
})();
