// A lock over a plain connection that an interval renews, as most lock libraries of Node.js do. With the word "correct", only
// the owner renews and releases the lock; with "stealing", the renewal takes a lock that has ended; with "racing", the
// renewal goes on until the release has been answered; with "reading", the program also reads a clock after each reply;
// with "beginning", it takes no lock: a reply begins its timeout anew, so that the timeout ends after the key "long".
const { randomUUID } = require("crypto");
const { performance } = require("perf_hooks");
const { connect } = require("./plainconnection");
const how = process.argv[2];
const token = randomUUID();
const connection = connect();
const send = (...words) => connection.send(...words).then(reply => {
  if (how === "reading" && performance.now() < 0) process.exit(2);
  return reply;
});
const owned = command => `if redis.call('get', KEYS[1]) == ARGV[1] then return ${command} end return 0`;
const renew = owned("redis.call('pexpire', KEYS[1], 1000)");
const take = "redis.call('set', KEYS[1], ARGV[1], 'px', 1000) return 1";
const begin = async () => {
  await send("SET", "long", "1", "PX", "700");
  await send("SET", "short", "1", "PX", "300");
  let reply = "";
  const timeout = setTimeout(async () => {
    if (reply === "$-1") await send("SET", "tooearly", "1");
    process.exit();
  }, 600);
  reply = await send("GET", "short");
  timeout.refresh();
  await send("GET", "long");
  process.exit();
};
const lock = async () => {
  if (await send("SET", "lock", token, "PX", "1000", "NX") !== "+OK") process.exit();
  const refresh = setInterval(async () => {
    if (await send("EVAL", how === "stealing" ? take : renew, "1", "lock", token) === ":0") clearInterval(refresh);
  }, 600);
  await send("ECHO", "latchkey:inside:lock");
  await send("ECHO", "latchkey:outside:lock");
  if (how !== "racing") clearInterval(refresh);
  if (how === "racing") await send("DEL", "lock");
  else await send("EVAL", owned("redis.call('del', KEYS[1])"), "1", "lock", token);
  process.exit();
};
how === "beginning" ? begin() : lock();
