// An update under a lock of npm's redlock, which is tried three times.
const Redis = require("ioredis");
const Redlock = require("redlock");
const client = new Redis(process.env.REDIS_URL);
const redlock = new Redlock([client], { retryCount: 2, retryDelay: 200 });
(async () => {
  let lock;
  try { lock = await redlock.lock("lock", 5000); } catch (e) { client.disconnect(); return; }
  await client.echo("latchkey:inside:lock");
  const count = Number(await client.get("order:1")) || 0;
  await client.set("order:1", count + 1);
  await client.echo("latchkey:outside:lock");
  try { await lock.unlock(); } catch (e) {}
  client.disconnect();
})();
