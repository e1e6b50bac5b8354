// The library ends the lock by itself after the function.
const { work, nodeRedis3 } = require("./work");
const { runWithMutex } = require("redis-mutex");

const connection = nodeRedis3();
work(connection, (key, lease) => new Promise((acquired, refused) => {
  const options = { redisClient: connection.client, key, intervalTime: lease, renewTime: lease * 0.8, maxTime: 10 * lease,
                    attempts: 2, attemptInterval: 200 };
  const run = runWithMutex(options, () => new Promise(done => acquired(async () => { done(); await run; })));
  run.catch(refused);
}));
