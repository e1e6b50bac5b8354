// Whoever comes second brings a job, over ioredis. The first one waits for it: in the server, or with the word "listening" for
// a message, and tells what it has got.
const Redis = require("ioredis");
const client = new Redis(process.env.REDIS_URL);
(async () => {
  const listening = process.argv[2] === "listening";
  if (await client.setnx("first", 1)) {
    if (!listening) {
      const job = await client.blpop("jobs", 5);
      await client.set(job ? "got" : "in-vain", 1);
      client.disconnect();
      return;
    }
    const ear = new Redis(process.env.REDIS_URL);
    await ear.subscribe("jobs");
    ear.on("message", async () => {
      await client.set("got", 1);
      ear.disconnect();
      client.disconnect();
    });
    return;
  }
  if (listening) await client.publish("jobs", "job");
  else await client.rpush("jobs", "job");
  client.disconnect();
})();
